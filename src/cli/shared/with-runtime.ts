import { type Ambit, Fault, type RunHandle } from '../../index.ts';
import { CliFault, formatHint } from '../cli-fault.ts';
import { type Call, getExitCode } from '../command.ts';
import { type LoadedConfig, loadConfig, openRuntime } from '../config/load-config.ts';
import { explainError } from '../explain-error.ts';
import { listNextCommands } from '../views/next-commands.ts';
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

/** Starts a run and does `work` with it, on a runtime that is always closed. An error after the start names the session. */
export async function withStartedRun(
  loaded: LoadedConfig,
  start: (runtime: Ambit) => RunHandle,
  work: (runtime: Ambit, run: RunHandle) => Promise<number>,
): Promise<number> {
  const runtime = openRuntime(loaded);
  try {
    const run = start(runtime);
    return await work(runtime, run).catch(async (error: unknown) => {
      throw await addSessionToFault(runtime, run.id, error);
    });
  } finally {
    await runtime.close();
  }
}

/** Adds the session and the next command. A request that the runtime refused has an id but no session. */
async function addSessionToFault(runtime: Ambit, session: string, cause: unknown): Promise<unknown> {
  const outcome = await runtime.sessions.get(session).catch(() => null);
  if (outcome === null) return cause;
  const [first = `ambit sessions show ${session}`] = listNextCommands(outcome, await readRunDetails(runtime, outcome));
  const { code, message } = Fault.is(cause)
    ? cause
    : { code: 'internal' as const, message: explainError(cause).message };
  return new CliFault(code, message, { session, fix: formatHint(first), cause });
}
