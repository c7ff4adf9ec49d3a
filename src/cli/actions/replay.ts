import { Fault } from '../../index.ts';
import type { Action } from '../command.ts';
import { exitOf } from '../exit-codes.ts';
import { counted } from '../views/counted.ts';
import { otherwiseOf, showWhatIf } from './what-if.ts';
import { withRuntime, word } from './with-runtime.ts';

/** A run that comes out otherwise is what replay is for, so that is an answer and not a failure. */
export const replay: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal } = call;
    const runId = word(call, 'session');
    const otherwise = await otherwiseOf(call.flags);
    if (otherwise !== null) return await showWhatIf(call, runtime, runId, otherwise);
    try {
      const { turns } = await runtime.replay(runId);
      const words = `${terminal.paint('good', '✓')} ${runId}: ${counted(turns.length, 'frame')} derived again, every verdict and the record to the same bytes; no tool, no model, no person was asked.`;
      terminal.show({ session: runId, same: true, frames: turns.length, difference: null }, () => words);
      return exitOf('done');
    } catch (error) {
      if (!Fault.is(error) || error.code !== 'replay_divergence') throw error;
      const difference = { message: error.message, path: error.path ?? null };
      terminal.show(
        { session: runId, same: false, frames: null, difference },
        () => `${terminal.paint('bad', '✗')} ${runId} comes out otherwise: ${error.message}`,
      );
      return exitOf('found');
    }
  });
