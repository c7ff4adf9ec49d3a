import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { basename, dirname, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../index.ts';
import { type Action, argument, type Call, getExitCode, readGoal } from '../command.ts';
import { findConfig, type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { explainError, renderExplanation } from '../explain-error.ts';
import { askChoice, askText } from '../terminal/prompts.ts';
import { runRequest, selectAgent } from './run.ts';

/** Set in the worker process. The process without it watches the files and restarts the worker. */
const WORKER = 'AMBIT_DEV_WORKER';

/** The exit code of a process that SIGTERM ended, by shell convention. */
const SIGTERM_EXIT = 143;

/** Editors write a file in several steps. Changes within this time count as one. */
const SETTLE_MS = 100;

/**
 * Restarts a worker process on every file change, because a process cannot reload a module. The journal is on disk, so
 * an interrupted run can be resumed.
 */
export const runDevAction: Action = async (call) => {
  if (process.env[WORKER] !== undefined) return await runDevLoop(call);
  // Ending this process normally on SIGTERM also ends the worker, through the exit listener below.
  process.once('SIGTERM', () => process.exit(SIGTERM_EXIT));
  const file = findConfig(process.cwd(), call.configFile);
  const changes = watchFolder(dirname(file));
  try {
    for (;;) {
      const worker = startWorker();
      const stopWorker = (): void => void worker.kill('SIGTERM');
      process.once('exit', stopWorker);
      const ended = once(worker, 'exit').finally(() => process.off('exit', stopWorker));
      const changed = changes.next();
      const first = await Promise.race([ended.then(() => null), changed]);
      if (first === null) {
        if (!hasGoal(call)) return worker.exitCode ?? getExitCode('interrupted');
        note(call, 'waiting for a file change');
      } else {
        stopWorker();
        await ended;
      }
      note(call, `${(first ?? (await changed)) || 'a file'} changed`);
    }
  } finally {
    changes.close();
  }
};

/** A request with `--goal` is repeated after every change. Without it, the user ends the prompts. */
const hasGoal = ({ flags }: Call): boolean => readGoal(flags) !== null;

const note = ({ terminal }: Call, text: string): void => terminal.note((paint) => paint('quiet', `── ${text} ──`));

function startWorker(): ChildProcess {
  const [, script = '', ...args] = process.argv;
  return spawn(process.execPath, [...process.execArgv, script, ...args], {
    stdio: 'inherit',
    env: { ...process.env, [WORKER]: '1' },
  });
}

interface Changes {
  /** Returns the name of the next changed file. */
  next(): Promise<string>;
  close(): void;
}

function watchFolder(folder: string): Changes {
  let waiting = Promise.withResolvers<string>();
  const watcher = watch(folder, { recursive: true }, (_, name) => {
    if (name !== null && isSource(name)) waiting.resolve(name);
  });
  return {
    next: async () => {
      waiting = Promise.withResolvers<string>();
      const name = await waiting.promise;
      await sleep(SETTLE_MS);
      return name;
    },
    close: () => watcher.close(),
  };
}

/** Ignores installed packages and the journal, which changes with every step of a run. */
function isSource(name: string): boolean {
  if (name.split(sep).some((part) => part === 'node_modules' || part.startsWith('.'))) return false;
  return /\.(?:ts|mts|js|mjs|cedar|ya?ml)$|^tsconfig\.json$/.test(basename(name));
}

/** Runs the goal of the command line once, or prompts for goals until the user cancels. */
async function runDevLoop(call: Call): Promise<number> {
  const goal = readGoal(call.flags);
  if (goal !== null) {
    const loaded = await loadConfig(call.configFile);
    return await runRequest(call, loaded, { agent: selectAgent(call, loaded), goal });
  }
  if (!call.terminal.isInteractive) {
    throw new Fault('input_invalid', 'a goal is required without a terminal: --goal "…"');
  }
  const loaded = await loadConfig(call.configFile);
  for (;;) {
    const agent = await promptAgent(call, loaded);
    const typed = agent === null ? null : await askText(`What should ${agent} do? (Ctrl-C to quit)`);
    if (agent === null || typed === null) return getExitCode('done');
    await runGoal(call, loaded, agent, typed);
  }
}

async function promptAgent(call: Call, { config }: LoadedConfig): Promise<string | null> {
  const names = config.agents.map(({ spec }) => spec.name);
  const typed = argument(call, 'agent');
  if (names.includes(typed)) return typed;
  if (names.length === 1) return names[0] ?? null;
  return await askChoice(
    'Which agent?',
    names.map((value) => ({ value, label: value })),
  );
}

/** Runs one goal and prints a fault, so that the user can enter the next goal. */
async function runGoal(call: Call, loaded: LoadedConfig, agent: string, goal: string): Promise<void> {
  try {
    await runRequest(call, loaded, { agent, goal });
  } catch (error) {
    if (!Fault.is(error)) throw error;
    call.terminal.note((paint) => renderExplanation(explainError(error), paint));
  }
}
