import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Ambit, Fault } from '../../index.ts';
import { type Action, argument, isFlagSet, readTextFlag } from '../command.ts';
import { requireDecider, requireReason } from '../decider.ts';
import { readJsonFile, writeNewFile } from '../files.ts';
import { readTrace } from '../shared/read-run.ts';
import { showOutcome } from '../shared/show-outcome.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import { formatCount } from '../views/format.ts';
import { renderProofs } from '../views/render-proofs.ts';

/** Forks a session at a checkpoint. Side effects are simulated unless an operator authorizes `--for-real`. */
export const forkSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, flags, terminal }) => {
    const run_id = argument(call, 'session');
    const at = readTextFlag(flags, 'at') ?? (await findLastCheckpoint(runtime, run_id));
    const file = readTextFlag(flags, 'answersFile');
    const answers = file === null ? {} : { answers: readJsonFile(resolve(file), '--answers-file') };
    if (!isFlagSet(flags, 'forReal')) {
      const reason = readTextFlag(flags, 'reason');
      const why = reason === null ? {} : { reason };
      return await showOutcome(terminal, runtime, await runtime.records.fork(run_id, { at, ...answers, ...why }));
    }
    const reason = requireReason(call);
    const credential = requireDecider(flags, config).signFork({ run_id, at, reason });
    return await showOutcome(
      terminal,
      runtime,
      await runtime.records.fork(run_id, { at, ...answers, simulate: false, reason, credential }),
    );
  });

/** Finds the last checkpoint with a verdict on a step or a plan. The trace exists only for an ended run. */
async function findLastCheckpoint(runtime: Ambit, runId: string): Promise<string> {
  const { state_checkpoints } = await readTrace(runtime, runId);
  const last = state_checkpoints.findLast(({ judged }) => judged === 'step' || judged === 'plan');
  if (last !== undefined) return last.checkpoint_id;
  throw new Fault('input_invalid', `session ${runId} has no checkpoint to fork at`);
}

export const exportSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal, flags }) => {
    const runId = argument(call, 'session');
    const file = resolve(readTextFlag(flags, 'out') ?? `${runId}.ambit`);
    const bundle = await runtime.records.export(runId);
    writeNewFile(file, bundle);
    terminal.show(
      { session: runId, file, bytes: bundle.byteLength },
      () => `${terminal.paint('good', '✓')} exported ${runId} to ${file}, ${bundle.byteLength} bytes`,
    );
  });

export const importSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal }) => {
    const file = resolve(argument(call, 'file'));
    const imported = await runtime.records.import(readBytes(file));
    const { runId, agent, frames, lanes, wasHere, proofs } = imported;
    const content = [formatCount(frames, 'frame'), ...(lanes.length === 0 ? [] : [formatCount(lanes.length, 'lane')])];
    const result = wasHere
      ? `${runId} is already in the store, with identical content`
      : `${terminal.paint('good', '✓')} imported ${runId} of agent ${agent}, ${content.join(' and ')}; it can be inspected and replayed, but not resumed`;
    terminal.show(imported, () => [result, ...renderProofs(proofs, terminal.paint)].join('\n'));
  });

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Fault('input_invalid', `cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
}
