import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { RunOutcome } from 'ambit';
import type { Refund } from './ledger.ts';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

export interface LedgerProcess {
  readonly url: string;
  readonly pid: number;
  withholdNextAnswer(): void;
  /** Resolves when the ledger has stored the next refund. */
  nextBooking(): Promise<Refund>;
  refunds(): Promise<readonly Refund[]>;
  stop(): Promise<void>;
}

export async function startLedger(file: string): Promise<LedgerProcess> {
  const child = fork(here('./ledger-service.ts'), [file], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }];
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    pid: child.pid ?? 0,
    withholdNextAnswer: () => child.send('withhold the next answer'),
    nextBooking: async () => ((await once(child, 'message')) as [{ readonly booked: Refund }])[0].booked,
    refunds: async () => (await (await fetch(`${url}/refunds`)).json()) as readonly Refund[],
    stop: async () => {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

export interface WorkerProcess {
  readonly pid: number;
  /** The outcome of the run; null if the process died first. */
  readonly outcome: Promise<RunOutcome | null>;
  /** `kill -9`: the process cannot flush or catch anything. */
  kill(): Promise<void>;
}

export function startWorker(...args: readonly string[]): WorkerProcess {
  const child = fork(here('./worker.ts'), [...args], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  return { pid: child.pid ?? 0, outcome: outcomeOf(child, ended), kill: () => killed(child, ended) };
}

async function outcomeOf(child: ChildProcess, ended: Promise<unknown>): Promise<RunOutcome | null> {
  let result: RunOutcome | null = null;
  child.on('message', (message) => {
    result = (message as { readonly outcome: RunOutcome }).outcome;
  });
  await ended;
  return result;
}

async function killed(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}
