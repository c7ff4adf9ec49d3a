import type { RunState } from '../kernel/index.ts';
import type { EventOf } from '../model/events/event.ts';
import { CompiledContext } from '../model/evidence/context.ts';
import { withMemories } from '../model/evidence/context-pack.ts';
import { Fault } from '../model/fault/fault.ts';
import { type Blob, toBlob } from '../model/json/blob.ts';
import { canonicalize } from '../model/json/canonical.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import type { Address, Hash } from '../model/json/hash.ts';
import type { Json } from '../model/json/json.ts';
import { parse } from '../model/json/parse.ts';
import type { Goal } from '../model/plan/goal.ts';
import type { ThreadHistory } from '../model/run/thread.ts';
import type { Journal } from '../ports/journal/journal.ts';
import type { MemoryStore } from '../ports/store/memory-store.ts';
import { endedRuns, recallMemories } from './perform/recall-memory.ts';

/** The context of one run, and its stored parts. */
export interface LoadedContext {
  readonly context: CompiledContext;
  /** The context and the packs it was compiled from, under the addresses that the run records. */
  readonly blobs: readonly Blob[];
  readonly quarantined: Readonly<Record<string, string>>;
  /** The history of the thread; absent for a run without a thread. */
  readonly thread?: ThreadHistory;
}

export interface RunContexts {
  of(state: RunState): LoadedContext;
  /** Compiles the context of a new run. Does nothing without a memory store and without a thread. */
  begin(goal: BeginningRun, now: number): Promise<void>;
  /** The history that a new run begins with; null for a run without a thread. */
  historyOf(goal: Goal): ThreadHistory | null;
  /** Restores the context that a run was started with, even if the current one differs. */
  reload(state: RunState): Promise<void>;
}

type BeginningRun = Pick<EventOf<'goal_received'>, 'goal' | 'tenant_id' | 'run_id' | 'thread'>;

export interface ContextDeps {
  readonly context: CompiledContext;
  readonly parts: readonly Blob[];
  readonly hash: Hash;
  readonly journal: Pick<Journal, 'load' | 'blob'>;
  readonly memory: MemoryStore | null;
  /** Reads the runs of a thread before this one. */
  readonly readHistory: (run: BeginningRun & { readonly thread: string }) => Promise<ThreadHistory>;
}

export function runContexts(deps: ContextDeps): RunContexts {
  const { context, parts, hash, journal, memory, readHistory } = deps;
  const usual: LoadedContext = { ...recorded(context, parts, hash), quarantined: {} };
  // The key is the goal object, which a run keeps unchanged; the entry is collected with the run.
  const own = new WeakMap<Goal, LoadedContext>();
  const ended = endedRuns();
  const remember = async (tenant: string, now: number): Promise<LoadedContext> => {
    if (memory === null) return usual;
    const { entries, quarantined } = await recallMemories({ store: memory, journal, ended }, tenant, now);
    const snapshot = toBlob(canonicalize(entries as unknown as Json), hash);
    const compiled = deepFreeze(withMemories(context, entries, snapshot.address));
    return { ...recorded(compiled, [...parts, snapshot], hash), quarantined };
  };
  const begin: RunContexts['begin'] = async (run, now) => {
    const { goal, tenant_id, thread } = run;
    if (memory === null && thread === undefined) return;
    const remembered = await remember(tenant_id, now);
    if (thread === undefined) {
      own.set(goal, remembered);
      return;
    }
    const history = await readHistory({ ...run, thread });
    const compiled = deepFreeze({ ...remembered.context, history: history.parts });
    const [, ...sources] = remembered.blobs;
    own.set(goal, { ...remembered, ...recorded(compiled, sources, hash), thread: history });
  };
  return {
    of: ({ intake: { goal } }) => (goal === null ? undefined : own.get(goal)) ?? usual,
    begin,
    historyOf: (goal) => own.get(goal)?.thread ?? null,
    reload: async (state) => {
      const { goal, context: address } = state.intake;
      if (goal === null) return;
      if (state.manifest === null) return await begin(beginningOf(state, goal), state.now);
      if (address === undefined || address === usual.blobs[0]?.address) return;
      const text = await recordedText(journal, address, 'compiled context');
      const compiled = deepFreeze(parse(CompiledContext, JSON.parse(text), 'input_invalid'));
      assertSameSources(compiled, context);
      own.set(goal, { context: compiled, blobs: [{ address, text }], quarantined: {} });
    },
  };
}

export function beginningOf({ id, intake: { thread } }: RunState, goal: Goal): BeginningRun {
  const place = thread === undefined ? {} : { thread };
  return { goal, tenant_id: id.tenantId, run_id: id.runId, ...place };
}

function recorded(context: CompiledContext, parts: readonly Blob[], hash: Hash): Omit<LoadedContext, 'quarantined'> {
  const blob = toBlob(canonicalize(context as unknown as Json), hash);
  return { context, blobs: [blob, ...parts] };
}

/** Reads a recorded blob. Throws `replay_input_missing` if it is gone. */
export async function recordedText(journal: Pick<Journal, 'blob'>, address: string, what: string): Promise<string> {
  try {
    return await journal.blob(address as Address);
  } catch (error) {
    if (!Fault.is(error) || error.code !== 'blob_missing') throw error;
    throw new Fault('replay_input_missing', `the ${what} ${address} is not recorded`, { cause: error });
  }
}

/** Rejects a pack or a snapshot whose content changed under the same version. An operator must decide. */
function assertSameSources(before: CompiledContext, here: CompiledContext): void {
  if (before.sources === undefined || here.sources === undefined) return;
  for (const part of ['pack', 'snapshot'] as const) {
    if (before.sources[part] === here.sources[part]) continue;
    const message = `the content of the ${part} ${here[`${part}_pin`]} has changed since the run began: give the changed ${part} a new version`;
    throw new Fault(`${part}_version_mismatch`, message);
  }
}
