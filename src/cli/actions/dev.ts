import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { basename, dirname, sep } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { Action, Call } from '../command.ts';
import { textOf } from '../command.ts';
import { findConfig } from '../config/find-config.ts';
import { exitOf } from '../exit-codes.ts';
import { devLoop } from './dev-loop.ts';

/** Set in the process that works; the one without it watches the files and starts that one anew. */
const WORKER = 'AMBIT_DEV_WORKER';

/** What a shell calls the end by this signal. */
const SIGTERM_EXIT = 143;

/** An editor writes a file in several goes: what changes within this time is one change. */
const SETTLE_MS = 100;

/**
 * A module that is loaded stays loaded for as long as its process lives, so what was changed is seen by a new one. The
 * journal is on disk: a run that was going on is picked up like that of any process that has gone.
 */
export const dev: Action = async (call) => {
  if (process.env[WORKER] !== undefined) return await devLoop(call);
  // Whoever ends this process ends the one that works as well.
  process.once('SIGTERM', () => process.exit(SIGTERM_EXIT));
  const file = findConfig(process.cwd(), call.configFile);
  const changes = changesIn(dirname(file));
  try {
    for (;;) {
      const worker = startWorker();
      const gone = (): void => void worker.kill('SIGTERM');
      process.once('exit', gone);
      const ended = once(worker, 'exit').finally(() => process.off('exit', gone));
      const changed = changes.next();
      const first = await Promise.race([ended.then(() => null), changed]);
      if (first === null) {
        if (!repeats(call)) return worker.exitCode ?? exitOf('interrupted');
        note(call, 'waiting for a change');
      } else {
        await stop(worker, ended);
      }
      note(call, `${(first ?? (await changed)) || 'a file'} changed`);
    }
  } finally {
    changes.close();
  }
};

/** A request that is given on the line is made again after every change; whoever types their own has the last word. */
const repeats = ({ flags }: Call): boolean => textOf(flags, 'goal') !== null;

const note = ({ terminal }: Call, words: string): void => terminal.note((paint) => paint('quiet', `── ${words} ──`));

function startWorker(): ChildProcess {
  const [, script = '', ...args] = process.argv;
  return spawn(process.execPath, [...process.execArgv, script, ...args], {
    stdio: 'inherit',
    env: { ...process.env, [WORKER]: '1' },
  });
}

async function stop(worker: ChildProcess, ended: Promise<unknown>): Promise<void> {
  worker.kill('SIGTERM');
  await ended;
}

interface Changes {
  /** The name of the next file that changes. */
  next(): Promise<string>;
  close(): void;
}

function changesIn(folder: string): Changes {
  let waiting = Promise.withResolvers<string>();
  const watcher = watch(folder, { recursive: true }, (_, name) => {
    if (name !== null && isSource(name)) waiting.resolve(name);
  });
  return {
    next: async () => {
      waiting = Promise.withResolvers<string>();
      const name = await waiting.promise;
      await after(SETTLE_MS);
      return name;
    },
    close: () => watcher.close(),
  };
}

/** What people write; not what is installed, and not the journal, which changes with every step of a run. */
function isSource(name: string): boolean {
  if (name.split(sep).some((part) => part === 'node_modules' || part.startsWith('.'))) return false;
  return /\.(?:ts|mts|js|mjs|cedar|ya?ml)$|^tsconfig\.json$/.test(basename(name));
}
