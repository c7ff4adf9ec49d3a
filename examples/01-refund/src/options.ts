import { parseArgs } from 'node:util';
import { Fault } from 'ambit';

export interface Options {
  readonly reject: boolean;
  readonly yes: boolean;
  readonly folder?: string | undefined;
  readonly resume: boolean;
  readonly json: boolean;
  readonly help: boolean;
}

export function optionsOf(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        reject: { type: 'boolean', default: false },
        yes: { type: 'boolean', default: false },
        folder: { type: 'string' },
        resume: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    // The rest of the message explains positional arguments, which this program does not take.
    const [why] = error instanceof Error ? error.message.split(/\.(?:\s|$)/) : [];
    throw new Fault('input_invalid', `${why}; options are --reject, --yes, --folder, --resume, --json, --help`, {
      cause: error,
    });
  }
}
