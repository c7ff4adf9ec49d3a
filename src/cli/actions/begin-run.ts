import { randomUUID } from 'node:crypto';
import { type Ambit, Fault } from '../../index.ts';
import { asTyped } from '../as-typed.ts';
import { type LoadedConfig, openRuntime } from '../config/load-config.ts';
import { explain } from '../explain-fault.ts';
import { StartedFault } from '../started-fault.ts';
import { nextSteps } from '../views/next-step.ts';
import { aboutRun } from './about-run.ts';

/** The run that is begun: its id as soon as it has one. */
export interface Begun {
  readonly id: Promise<string>;
  /** Null before that. */
  known(): string | null;
}

/** Opens a runtime for work that begins a run, and closes it. Whatever goes wrong once there is one names it. */
export async function beginning(
  loaded: LoadedConfig,
  work: (runtime: Ambit, begun: Begun) => Promise<number>,
): Promise<number> {
  let known: string | null = null;
  const told = Promise.withResolvers<string>();
  const runtime = openRuntime(
    withTold(loaded, (id) => {
      known ??= id;
      told.resolve(id);
    }),
  );
  try {
    return await work(runtime, { id: told.promise, known: () => known });
  } catch (error) {
    throw await startedFault(runtime, known, error);
  } finally {
    await runtime.close();
  }
}

/** The same world, in which somebody hears the id of a run before it has come to rest. */
function withTold(loaded: LoadedConfig, told: (runId: string) => void): LoadedConfig {
  const { config } = loaded;
  const ids = config.world?.ids ?? { next: (prefix: string) => `${prefix}_${randomUUID()}` };
  const telling = {
    next: (prefix: string): string => {
      const id = ids.next(prefix);
      if (prefix === 'run') told(id);
      return id;
    },
  };
  return { ...loaded, config: { ...config, world: { ...config.world, ids: telling } } };
}

/** Says which run it was, and how to go on with it; a request that was refused at the door has left no run. */
async function startedFault(runtime: Ambit, session: string | null, cause: unknown): Promise<unknown> {
  const outcome = session === null ? null : await runtime.outcome(session).catch(() => null);
  if (session === null || outcome === null) return cause;
  const [first = `ambit sessions show ${session}`] = nextSteps(outcome, await aboutRun(runtime, outcome));
  const { code, message } = Fault.is(cause) ? cause : { code: 'internal' as const, message: explain(cause).message };
  return new StartedFault(code, message, { session, fix: asTyped(first), cause });
}
