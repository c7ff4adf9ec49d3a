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
import type { Journal } from '../ports/journal/journal.ts';
import type { MemoryStore } from '../ports/store/memory-store.ts';
import { endedRuns, recallMemories } from './perform/recall-memory.ts';

/** The context of one run, and its stored parts. */
export interface LoadedContext {
  readonly context: CompiledContext;
  /** The context and the packs it was compiled from, under the addresses that the run records. */
  readonly blobs: readonly Blob[];
  readonly quarantined: Readonly<Record<string, string>>;
}

export interface RunContexts {
  of(state: RunState): LoadedContext;
  /** Compiles the context of a new run. Does nothing without a memory store. */
  begin(goal: Pick<EventOf<'goal_received'>, 'goal' | 'tenant_id'>, now: number): Promise<void>;
  /** Restores the context that a run was started with, even if the current one differs. */
  reload(state: RunState): Promise<void>;
}

export interface ContextDeps {
  readonly context: CompiledContext;
  readonly parts: readonly Blob[];
  readonly hash: Hash;
  readonly journal: Pick<Journal, 'load' | 'blob'>;
  readonly memory: MemoryStore | null;
}

export function runContexts(deps: ContextDeps): RunContexts {
  const { context, parts, hash, journal, memory } = deps;
  const usual = recorded(context, parts, hash);
  // The key is the goal object, which a run keeps unchanged; the entry is collected with the run.
  const own = new WeakMap<Goal, LoadedContext>();
  const ended = endedRuns();
  const begin: RunContexts['begin'] = async ({ goal, tenant_id }, now) => {
    if (memory === null) return;
    const { entries, quarantined } = await recallMemories({ store: memory, journal, ended }, tenant_id, now);
    const snapshot = toBlob(canonicalize(entries as unknown as Json), hash);
    const compiled = deepFreeze(withMemories(context, entries, snapshot.address));
    own.set(goal, { ...recorded(compiled, [...parts, snapshot], hash), quarantined });
  };
  return {
    of: ({ intake: { goal } }) => (goal === null ? undefined : own.get(goal)) ?? usual,
    begin,
    reload: async (state) => {
      const { goal, context: address } = state.intake;
      if (goal === null) return;
      if (state.manifest === null) return await begin({ goal, tenant_id: state.id.tenantId }, state.now);
      if (address === undefined || address === usual.blobs[0]?.address) return;
      const text = await recordedText(journal, address, 'compiled context');
      const compiled = deepFreeze(parse(CompiledContext, JSON.parse(text), 'input_invalid'));
      assertSameSources(compiled, context);
      own.set(goal, { context: compiled, blobs: [{ address, text }], quarantined: {} });
    },
  };
}

function recorded(context: CompiledContext, parts: readonly Blob[], hash: Hash): LoadedContext {
  const blob = toBlob(canonicalize(context as unknown as Json), hash);
  return { context, blobs: [blob, ...parts], quarantined: {} };
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
