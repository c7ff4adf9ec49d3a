import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type Finished, GO_HOME, type Order, type Word } from './orders.ts';

const WORKER = new URL('./worker.ts', import.meta.url).pathname;

/** One process, from its first order to its death. */
export interface Life {
  /** Gives an order; `killAfterMs` later it is killed from outside, wherever it is then. */
  obey(order: Order, killAfterMs: number | null): Promise<Attempt>;
  /** Sends it home: it ends by itself, and leaves behind what it has compiled. */
  release(): Promise<void>;
  end(): Promise<void>;
}

/** How one order went. */
export interface Attempt {
  /** The call that the life before this one left in doubt. */
  readonly doubt: string | null;
  /** Null where the process was killed first. */
  readonly finished: Finished | null;
  readonly tookMs: number;
}

type Death = Promise<[code: number | null, signal: NodeJS.Signals | null]>;

/** Starts a process that has read its code and its data by the time somebody has an order for it. */
export function startLife(data: string, cache: string): Life {
  const child = fork(WORKER, [data], {
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  const said: string[] = [];
  child.stderr?.on('data', (text: Buffer) => said.push(text.toString()));
  const died = once(child, 'close') as Death;
  const ready = Promise.race([once(child, 'message').then(() => null), died]);
  void ready.catch(() => undefined);
  return {
    obey: async (order, killAfterMs) => {
      const early = await ready;
      if (early !== null) throw endedBy(early, said);
      return await carryOut(child, died, said, order, killAfterMs);
    },
    release: async () => {
      await ready;
      child.send(GO_HOME);
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
  said: readonly string[],
  order: Order,
  killAfterMs: number | null,
): Promise<Attempt> {
  const begun = performance.now();
  let doubt: string | null = null;
  let killing: NodeJS.Timeout | undefined;
  let isKilled = false;
  const finished = new Promise<Finished>((resolve) => {
    const hear = (word: Word): void => {
      if (word.kind === 'found') doubt = word.doubt;
      else if (word.kind === 'finished') {
        child.off('message', hear);
        resolve(word);
      }
    };
    child.on('message', hear);
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
  // What it says while it is being killed is not believed: whoever comes next looks for himself.
  if (ending !== null && !isKilled) return { doubt, finished: ending, tookMs };
  const death = await died;
  if (death[1] === 'SIGKILL') return { doubt, finished: null, tookMs };
  throw endedBy(death, said);
}

const endedBy = ([code, signal]: Awaited<Death>, said: readonly string[]): Error =>
  new Error(`a process ended by itself (${code ?? signal}): ${said.join('').trim()}`);
