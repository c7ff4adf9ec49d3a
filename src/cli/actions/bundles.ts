import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault } from '../../index.ts';
import { type Action, textOf } from '../command.ts';
import { exitOf } from '../exit-codes.ts';
import { writeNew } from '../new-file.ts';
import { counted } from '../views/counted.ts';
import { withRuntime, word } from './with-runtime.ts';

/** A run in one file. A file that is there is not written over. */
export const exportSession: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal, flags } = call;
    const runId = word(call, 'session');
    const file = resolve(textOf(flags, 'out') ?? `${runId}.ambit`);
    const bundle = await runtime.exportRun(runId);
    writeNew(file, bundle);
    terminal.show(
      { session: runId, file, bytes: bundle.byteLength },
      () => `${terminal.paint('good', '✓')} ${runId} is in ${file}, ${bundle.byteLength} bytes`,
    );
    return exitOf('done');
  });

export const importSession: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal } = call;
    const file = resolve(word(call, 'file'));
    const imported = await runtime.importRun(readBytes(file));
    const { runId, agent, frames, lanes, wasHere } = imported;
    const along = lanes.length === 0 ? '' : ` and ${lanes.length === 1 ? 'its lane' : `its ${lanes.length} lanes`}`;
    terminal.show(imported, () =>
      wasHere
        ? `${runId} was here already, the very same`
        : `${terminal.paint('good', '✓')} ${runId} of ${agent}, ${counted(frames, 'frame')}${along}: to be looked at and replayed, not driven on`,
    );
    return exitOf('done');
  });

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Fault('input_invalid', `${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
