import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { TestOrder, TestResult } from './messages.ts';

const PROCESS = new URL('./test-process.ts', import.meta.url).pathname;

/** One warm test process over a copy of the tree. */
export interface TestProcess {
  /** Executes an order; null if it took longer than the limit. The next order then starts a new process. */
  execute(order: Omit<TestOrder, 'changed'>, limitMs: number): Promise<TestResult | null>;
  /** Notes that a source file has changed, so that the next order reads it again. */
  noteChange(file: string): void;
  end(): Promise<void>;
}

/** Starts the process with its first order. */
export function startTestProcess(root: string): TestProcess {
  let running: Promise<ChildProcess> | null = null;
  let changed: readonly string[] = [];
  const end = async (): Promise<void> => {
    const child = await running;
    running = null;
    if (child !== null) await kill(child);
  };
  return {
    execute: async (order, limitMs) => {
      running ??= start(root);
      const child = await running;
      const timer = Promise.withResolvers<null>();
      const timeout = setTimeout(() => timer.resolve(null), limitMs);
      const answer = answerOf(child);
      child.send({ ...order, changed } satisfies TestOrder);
      changed = [];
      const result = await Promise.race([answer, timer.promise]);
      clearTimeout(timeout);
      if (result === null) await end();
      return result;
    },
    noteChange: (file) => {
      changed = [...changed, file];
    },
    end,
  };
}

async function start(root: string): Promise<ChildProcess> {
  // A group of its own: a test that never yields outlives the process that started it, so the whole group is killed.
  const child = fork(PROCESS, { cwd: root, detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  await answerOf(child);
  return child;
}

function answerOf(child: ChildProcess): Promise<TestResult> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: TestResult): void => {
      child.off('exit', onExit);
      resolve(message);
    };
    const onExit = (code: number | null, signal: string | null): void => {
      child.off('message', onMessage);
      reject(new Error(`the test process ended with ${signal ?? code}`));
    };
    child.once('message', onMessage);
    child.once('exit', onExit);
  });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const died = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await died;
}
