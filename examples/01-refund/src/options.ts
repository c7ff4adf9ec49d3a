import { parseArgs } from 'node:util';
import { Fault } from 'ambit';

export const HELP = `A support agent refunds an order over a real local ledger. No model, no key, no server of yours.

Usage: npm run demo [-- options]

  --reject        the finance lead says no
  --yes           do not ask in the terminal, approve
  --folder DIR    keep the journal and the ledger there (default: a temporary folder, removed at the end)
  --json          the end of it as one line of JSON, and nothing else
  --help          this page

Examples:
  npm run demo
  npm run demo -- --reject
  npm run demo -- --folder ./demo --json`;

export interface Options {
  readonly reject: boolean;
  readonly yes: boolean;
  readonly folder?: string | undefined;
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
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    // What follows the first sentence explains arguments that this program does not take.
    const [why] = error instanceof Error ? error.message.split(/\.(?:\s|$)/) : [];
    throw new Fault('input_invalid', `${why}; it takes --reject, --yes, --folder, --json, --help`, { cause: error });
  }
}
