import { Fault } from '../../index.ts';
import { type Action, numberOf } from '../command.ts';
import { exitOf } from '../exit-codes.ts';
import { counted } from '../views/counted.ts';
import { withRuntime } from './with-runtime.ts';

/** Drives what is due until somebody stops it; what is under way then comes to rest first. */
export const serve: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal, flags } = call;
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    const names = runtime.agents().map(({ spec }) => spec.name);
    terminal.note((paint) => `${paint('good', '►')} looking after the sessions of ${names.join(', ')}; Ctrl-C stops`);
    const concurrency = numberOf(flags, 'concurrency');
    const served = await runtime.serve({
      signal: stop.signal,
      ...(concurrency === null ? {} : { concurrency }),
      failed: (session, error) => {
        const [code, message] = Fault.is(error) ? [error.code, error.message] : ['internal', String(error)];
        terminal.note((paint) => `${paint('bad', '✗')} ${session}  ${code}: ${message}`);
      },
    });
    terminal.show(served, () => `${counted(served.driven, 'drive')}, ${served.failed} failed`);
    return exitOf('done');
  });
