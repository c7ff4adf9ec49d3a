import { randomUUID } from 'node:crypto';
import { type Ambit, Fault } from '../../index.ts';
import { CliFault, formatHint } from '../cli-fault.ts';
import { type Call, getExitCode } from '../command.ts';
import { type LoadedConfig, loadConfig, openRuntime } from '../config/load-config.ts';
import { explainError } from '../explain-error.ts';
import { listNextCommands } from '../views/render-outcome.ts';
import { readRunDetails } from './read-run.ts';

/** A config with its open runtime, and the parts of the command line that most actions use. */
export interface OpenedConfig extends LoadedConfig, Pick<Call, 'terminal' | 'flags'> {
  readonly runtime: Ambit;
}

/** Opens the runtime of the config for `work` and always closes it. Work without an exit code has succeeded. */
export async function withRuntime(
  call: Call,
  work: (opened: OpenedConfig) => Promise<number | undefined>,
): Promise<number> {
  const loaded = await loadConfig(call.configFile);
  const runtime = openRuntime(loaded);
  try {
    return (await work({ ...loaded, runtime, terminal: call.terminal, flags: call.flags })) ?? getExitCode('done');
  } finally {
    await runtime.close();
  }
}

/** The id of a run that is starting. */
export interface StartingRun {
  readonly id: Promise<string>;
  /** Returns null until the id exists. */
  knownId(): string | null;
}

/** Opens a runtime for `work` that starts a run, and closes it. An error after the start names the session. */
export async function withStartingRun(
  loaded: LoadedConfig,
  work: (runtime: Ambit, newRun: StartingRun) => Promise<number>,
): Promise<number> {
  let known: string | null = null;
  const created = Promise.withResolvers<string>();
  const runtime = openRuntime(
    observeRunId(loaded, (id) => {
      known ??= id;
      created.resolve(id);
    }),
  );
  try {
    return await work(runtime, { id: created.promise, knownId: () => known });
  } catch (error) {
    throw await addSessionToFault(runtime, known, error);
  } finally {
    await runtime.close();
  }
}

/** Wraps the id generator of the config, so that the run can be drawn before `invoke` returns. */
function observeRunId(loaded: LoadedConfig, onRunId: (runId: string) => void): LoadedConfig {
  const { config } = loaded;
  const ids = config.world?.ids ?? { next: (prefix: string) => `${prefix}_${randomUUID()}` };
  const observed = {
    next: (prefix: string): string => {
      const id = ids.next(prefix);
      if (prefix === 'run') onRunId(id);
      return id;
    },
  };
  return { ...loaded, config: { ...config, world: { ...config.world, ids: observed } } };
}

/** Adds the session and the next command. A request that the runtime refused has an id but no session. */
async function addSessionToFault(runtime: Ambit, session: string | null, cause: unknown): Promise<unknown> {
  const outcome = session === null ? null : await runtime.sessions.get(session).catch(() => null);
  if (session === null || outcome === null) return cause;
  const [first = `ambit sessions show ${session}`] = listNextCommands(outcome, await readRunDetails(runtime, outcome));
  const { code, message } = Fault.is(cause)
    ? cause
    : { code: 'internal' as const, message: explainError(cause).message };
  return new CliFault(code, message, { session, fix: formatHint(first), cause });
}
