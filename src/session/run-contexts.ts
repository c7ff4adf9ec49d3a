import type { RunState } from '../kernel/state.ts';
import { type Blob, toBlob } from '../model/blob.ts';
import { canonicalize } from '../model/canonical.ts';
import { CompiledContext } from '../model/context.ts';
import { withMemories } from '../model/context-pack.ts';
import type { EventOf } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { deepFreeze } from '../model/freeze.ts';
import type { Goal } from '../model/goal.ts';
import type { Address, Hash } from '../model/hash.ts';
import type { Json } from '../model/json.ts';
import { parse } from '../model/parse.ts';
import type { Journal } from '../ports/journal.ts';
import type { MemoryStore } from '../ports/memory-store.ts';
import { endedRuns } from './memory/ended-runs.ts';
import { recallMemories } from './memory/recall.ts';

/** What one run is told, and what is kept of it. */
export interface RunContext {
  readonly context: CompiledContext;
  /** The context itself and whatever it was compiled from, under the addresses that the run names. */
  readonly blobs: readonly Blob[];
  readonly quarantined: Readonly<Record<string, string>>;
}

export interface RunContexts {
  of(state: RunState): RunContext;
  /** Compiles what a new run is told. Nothing to do where there is nothing to remember. */
  begin(goal: Pick<EventOf<'goal_received'>, 'goal' | 'tenant_id'>, now: number): Promise<void>;
  /** Takes out again what a run was told when it began, whatever there is by now. */
  reload(state: RunState): Promise<void>;
}

export interface ContextRoom {
  readonly context: CompiledContext;
  readonly parts: readonly Blob[];
  readonly hash: Hash;
  readonly journal: Pick<Journal, 'load' | 'blob'>;
  readonly memory: MemoryStore | null;
}

export function runContexts(room: ContextRoom): RunContexts {
  const { context, parts, hash, journal, memory } = room;
  const usual = recorded(context, parts, hash);
  // By the goal, which a run carries along unchanged: what is forgotten with the run needs no clearing away.
  const own = new WeakMap<Goal, RunContext>();
  const ended = endedRuns();
  const begin: RunContexts['begin'] = async ({ goal, tenant_id }, now) => {
    if (memory === null) return;
    const { entries, quarantined } = await recallMemories({ store: memory, journal, ended }, tenant_id, now);
    const snapshot = toBlob(canonicalize(entries as unknown as Json), hash);
    const told = deepFreeze(withMemories(context, entries, snapshot.address));
    own.set(goal, { ...recorded(told, [...parts, snapshot], hash), quarantined });
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
      const told = deepFreeze(parse(CompiledContext, JSON.parse(text), 'input_invalid'));
      assertSameSources(told, context);
      own.set(goal, { context: told, blobs: [{ address, text }], quarantined: {} });
    },
  };
}

function recorded(context: CompiledContext, parts: readonly Blob[], hash: Hash): RunContext {
  const whole = toBlob(canonicalize(context as unknown as Json), hash);
  return { context, blobs: [whole, ...parts], quarantined: {} };
}

/** What a run read is taken from where the run has put it, or not at all. */
export async function recordedText(journal: Pick<Journal, 'blob'>, address: string, what: string): Promise<string> {
  try {
    return await journal.blob(address as Address);
  } catch (error) {
    if (!Fault.is(error) || error.code !== 'blob_missing') throw error;
    throw new Fault('replay_input_missing', `the ${what} ${address} is not recorded`, { cause: error });
  }
}

/** A version says what is in it. Something else under the same one is for an operator to decide about. */
function assertSameSources(told: CompiledContext, here: CompiledContext): void {
  if (told.sources === undefined || here.sources === undefined) return;
  if (told.sources.pack !== here.sources.pack) {
    const message = `${here.pack_pin} holds something else by now than when the run began`;
    throw new Fault('pack_version_mismatch', message);
  }
  if (told.sources.snapshot !== here.sources.snapshot) {
    const message = `${here.snapshot_pin} holds something else by now than when the run began`;
    throw new Fault('snapshot_version_mismatch', message);
  }
}
