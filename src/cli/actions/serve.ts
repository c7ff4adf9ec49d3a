import { Fault } from '../../index.ts';
import { type Action, readNumberFlag } from '../command.ts';
import { getExitCode } from '../exit-codes.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import { formatCount } from '../views/format.ts';

/** Drives due sessions until SIGINT or SIGTERM, then finishes the work in progress. */
export const serveSessionsAction: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal, flags } = call;
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    const names = runtime.agents.list().map(({ spec }) => spec.name);
    terminal.note((paint) => `${paint('good', '►')} serving the sessions of ${names.join(', ')}; Ctrl-C to stop`);
    const concurrency = readNumberFlag(flags, 'concurrency');
    const served = await runtime.serve({
      signal: stop.signal,
      ...(concurrency === null ? {} : { concurrency }),
      failed: (session, error) => {
        const [code, message] = Fault.is(error) ? [error.code, error.message] : ['internal', String(error)];
        terminal.note((paint) => `${paint('bad', '✗')} ${session}  ${code}: ${message}`);
      },
    });
    terminal.show(served, () => `${formatCount(served.driven, 'drive')}, ${served.failed} failed`);
    return getExitCode('done');
  });
