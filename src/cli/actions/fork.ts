import { resolve } from 'node:path';
import { type Ambit, Fault } from '../../index.ts';
import { type Action, isOn, textOf } from '../command.ts';
import { loadConfig } from '../config/load-config.ts';
import { neededDecider } from '../decider.ts';
import { jsonFile } from '../json-file.ts';
import { beginning } from './begin-run.ts';
import { neededReason } from './sessions.ts';
import { showOutcome } from './show-outcome.ts';
import { word } from './with-runtime.ts';

/** Another session that begins as this one did. Nothing that changes the world is sent, unless somebody answers for it. */
export const forkSession: Action = async (call) => {
  const loaded = await loadConfig(call.configFile);
  return await beginning(loaded, async (runtime) => {
    const { flags, terminal } = call;
    const run_id = word(call, 'session');
    const at = textOf(flags, 'at') ?? (await lastCheckpoint(runtime, run_id));
    const file = textOf(flags, 'answersFile');
    const answers = file === null ? {} : { answers: jsonFile(resolve(file), '--answers-file') };
    if (!isOn(flags, 'forReal')) {
      const reason = textOf(flags, 'reason');
      const why = reason === null ? {} : { reason };
      return await showOutcome(terminal, runtime, await runtime.fork(run_id, { at, ...answers, ...why }));
    }
    const reason = neededReason(call);
    const credential = neededDecider(flags, loaded.config).fork({ run_id, at, reason });
    return await showOutcome(
      terminal,
      runtime,
      await runtime.fork(run_id, { at, ...answers, simulate: false, reason, credential }),
    );
  });
};

/** Of a run that has ended, the place right before its last verdict on a step or a plan; of any other somebody says where. */
async function lastCheckpoint(runtime: Ambit, runId: string): Promise<string> {
  const { state_checkpoints } = await runtime.trace(runId);
  const last = state_checkpoints.findLast(({ judged }) => judged === 'step' || judged === 'plan');
  if (last !== undefined) return last.checkpoint_id;
  throw new Fault('input_invalid', `${runId} has no checkpoint to begin at`);
}
