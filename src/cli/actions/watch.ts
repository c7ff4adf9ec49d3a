import { type Action, textOf } from '../command.ts';
import { exitOfRun } from '../exit-codes.ts';
import { liveLines } from '../terminal/live.ts';
import { instant } from '../views/instants.ts';
import { drawRun } from './follow-run.ts';
import { showOutcome } from './show-outcome.ts';
import { withRuntime, word } from './with-runtime.ts';

/** Follows a session that this process or any other drives: drawn for a person, event by event for a program. */
export const watchSession: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal, flags } = call;
    const runId = word(call, 'session');
    const after = textOf(flags, 'after');
    if (terminal.live && after === null) {
      await drawRun(runtime, runId, liveLines(process.stderr), new AbortController().signal);
    } else {
      for await (const { cursor, event, notice } of runtime.watch(runId, after === null ? {} : { after })) {
        terminal.stream({ cursor, event, notice }, () => `${cursor.padEnd(6)} ${instant(event.at)}  ${event.type}`);
      }
    }
    const outcome = await runtime.outcome(runId);
    // A stream has said everything already; a last document of another kind would only be in its way.
    return terminal.json ? exitOfRun(outcome) : await showOutcome(terminal, runtime, outcome);
  });
