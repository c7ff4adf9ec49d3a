import { type Action, argument, readTextFlag } from '../command.ts';
import { getRunExitCode } from '../exit-codes.ts';
import { drawRun } from '../shared/follow-run.ts';
import { showOutcome } from '../shared/show-outcome.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import { openLiveLines } from '../terminal/live-lines.ts';
import { formatInstant } from '../views/format.ts';

/** Follows a session: draws the run at a terminal, otherwise prints one event per line. */
export const watchSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal, flags } = call;
    const runId = argument(call, 'session');
    const after = readTextFlag(flags, 'after');
    if (terminal.isLive && after === null) {
      await drawRun(runtime, runId, openLiveLines(process.stderr), new AbortController().signal);
    } else {
      for await (const { cursor, event, notice } of runtime.sessions.watch(runId, after === null ? {} : { after })) {
        terminal.stream(
          { cursor, event, notice },
          () => `${cursor.padEnd(6)} ${formatInstant(event.at)}  ${event.type}`,
        );
      }
    }
    const outcome = await runtime.sessions.outcome(runId);
    // With --json every line is an event, so no outcome follows.
    return terminal.isJson ? getRunExitCode(outcome) : await showOutcome(terminal, runtime, outcome);
  });
