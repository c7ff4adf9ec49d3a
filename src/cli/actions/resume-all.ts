import type { SessionQuery } from '../../index.ts';
import { type Action, textOf } from '../command.ts';
import { neededDecider } from '../decider.ts';
import { exitOf } from '../exit-codes.ts';
import { table } from '../terminal/table.ts';
import { toneOf } from '../views/outcome-view.ts';
import { withRuntime } from './with-runtime.ts';

/** After an outage: lets every session go on that was left or paused by the watchdog, and says of each what came of it. */
export const resumeAllSessions: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const { terminal, flags } = call;
    const tenant = textOf(flags, 'tenant');
    const decider = neededDecider(flags, config);
    const filter: SessionQuery = tenant === null ? {} : { tenant };
    const results = await runtime.resumeAll(filter, ({ runId: run_id }) =>
      decider.run({ run_id, decision: 'run_resumed', said: { operator: true } }),
    );
    const rows = results.map((result) =>
      result.ok
        ? [
            result.runId,
            terminal.paint(toneOf(result.outcome.status), result.outcome.status),
            result.outcome.reason ?? '',
          ]
        : [result.runId, terminal.paint('bad', result.code), result.message],
    );
    terminal.show(results, () =>
      rows.length === 0 ? 'Nothing was left.' : table(['SESSION', 'NOW', 'WHY'], rows, terminal.columns()),
    );
    return exitOf(results.every(({ ok }) => ok) ? 'done' : 'found');
  });
