import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault } from '../../index.ts';
import { type Action, argument, readTextFlag } from '../command.ts';
import { getExitCode } from '../exit-codes.ts';
import { writeNewFile } from '../files.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import { formatCount } from '../views/format.ts';

export const exportSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal, flags } = call;
    const runId = argument(call, 'session');
    const file = resolve(readTextFlag(flags, 'out') ?? `${runId}.ambit`);
    const bundle = await runtime.records.export(runId);
    writeNewFile(file, bundle);
    terminal.show(
      { session: runId, file, bytes: bundle.byteLength },
      () => `${terminal.paint('good', '✓')} exported ${runId} to ${file}, ${bundle.byteLength} bytes`,
    );
    return getExitCode('done');
  });

export const importSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal } = call;
    const file = resolve(argument(call, 'file'));
    const imported = await runtime.records.import(readBytes(file));
    const { runId, agent, frames, lanes, wasHere } = imported;
    const content = [formatCount(frames, 'frame'), ...(lanes.length === 0 ? [] : [formatCount(lanes.length, 'lane')])];
    terminal.show(imported, () =>
      wasHere
        ? `${runId} is already in the store, with identical content`
        : `${terminal.paint('good', '✓')} imported ${runId} of agent ${agent}, ${content.join(' and ')}; it can be inspected and replayed, but not resumed`,
    );
    return getExitCode('done');
  });

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Fault('input_invalid', `cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
}
