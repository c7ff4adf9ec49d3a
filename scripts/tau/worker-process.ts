import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { EXIT, type Finished, type Order, type WorkerMessage } from './orders.ts';

/** The program of a worker. */
export const WORKER: string = new URL('./worker.ts', import.meta.url).pathname;

/** One worker process, from its first order to its end. */
export interface WorkerProcess {
  /** Sends an order; kills the process `killAfterMs` later, wherever it is then. */
  execute(order: Order, killAfterMs: number | null): Promise<Attempt>;
  /** Lets the process exit by itself, so that it writes its compile cache. */
  release(): Promise<void>;
  end(): Promise<void>;
}

/** The result of one order. */
export interface Attempt {
  /** The call that the previous process left in doubt. */
  readonly doubt: string | null;
  /** Null if the process was killed first. */
  readonly finished: Finished | null;
  readonly tookMs: number;
}

type Death = Promise<[code: number | null, signal: NodeJS.Signals | null]>;

/** Starts a process that loads its code and data before its first order. */
export function startWorkerProcess(program: string, data: string, cache: string): WorkerProcess {
  const child = fork(program, [data], {
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  const stderr: string[] = [];
  child.stderr?.on('data', (text: Buffer) => stderr.push(text.toString()));
  const died = once(child, 'close') as Death;
  const ready = Promise.race([once(child, 'message').then(() => null), died]);
  void ready.catch(() => undefined);
  return {
    execute: async (order, killAfterMs) => {
      const early = await ready;
      if (early !== null) throw endedBy(early, stderr);
      return await carryOut(child, died, stderr, order, killAfterMs);
    },
    release: async () => {
      const early = await ready;
      if (early !== null) throw endedBy(early, stderr);
      child.send(EXIT);
      await died;
    },
    end: async () => {
      child.kill('SIGKILL');
      await died;
    },
  };
}

async function carryOut(
  child: ChildProcess,
  died: Death,
  stderr: readonly string[],
  order: Order,
  killAfterMs: number | null,
): Promise<Attempt> {
  const begun = performance.now();
  let doubt: string | null = null;
  let killing: NodeJS.Timeout | undefined;
  let isKilled = false;
  const finished = new Promise<Finished>((resolve) => {
    const onMessage = (message: WorkerMessage): void => {
      if (message.kind === 'found') doubt = message.doubt;
      else if (message.kind === 'finished') {
        child.off('message', onMessage);
        resolve(message);
      }
    };
    child.on('message', onMessage);
  });
  child.send(order);
  if (killAfterMs !== null) {
    killing = setTimeout(() => {
      isKilled = child.kill('SIGKILL');
    }, killAfterMs);
  }
  const ending = await Promise.race([finished, died.then(() => null)]);
  clearTimeout(killing);
  const tookMs = performance.now() - begun;
  // A message sent while the process is being killed is ignored; the next process reports again.
  if (ending !== null && !isKilled) return { doubt, finished: ending, tookMs };
  const death = await died;
  if (death[1] === 'SIGKILL') return { doubt, finished: null, tookMs };
  throw endedBy(death, stderr);
}

const endedBy = ([code, signal]: Awaited<Death>, stderr: readonly string[]): Error =>
  new Error(`a worker exited unexpectedly (${code ?? signal}): ${stderr.join('').trim()}`);
