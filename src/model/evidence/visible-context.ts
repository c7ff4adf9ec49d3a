import type { Boundary } from '../policy/boundary.ts';
import type { SecurityToken } from '../run/identity.ts';
import type { ThreadPart } from '../run/thread.ts';
import type { CompiledContext, ContextItem } from './context.ts';

export interface Viewer {
  readonly token: SecurityToken;
  readonly boundary: Boundary;
  readonly now: number;
}

/**
 * Returns the items that a run may see: the earlier messages of its thread, which its user wrote or was shown, and the
 * items of its sources as far as they are permitted.
 */
export function visibleItems(context: CompiledContext, viewer: Viewer): readonly ContextItem[] {
  const { history } = context;
  const permitted = permittedItems(context, viewer);
  return history === undefined ? permitted : [...permitted, ...history.map(historyItem)];
}

/** The type of context items that hold earlier messages. */
export const CHAT_HISTORY = 'chat_history';
/** The source of the items that hold earlier messages of the run's own thread. */
const THREAD_SOURCE = 'ambit:thread';

/** The key of an earlier message, by its place in the history. */
export const historyKey = (place: number): string => `thread.${place}`;

/** An earlier message as a context item. It is not evidence: a fact of an earlier run has to be looked up again. */
function historyItem(part: ThreadPart, place: number): ContextItem {
  const { by, text, sources, at, trusted } = part;
  return {
    key: historyKey(place),
    type: CHAT_HISTORY,
    value: { by, text, sources: [...sources] },
    source_id: THREAD_SOURCE,
    permission_scope: THREAD_SOURCE,
    observed_at: at,
    fresh_until: Number.MAX_SAFE_INTEGER,
    trusted,
    authority: 0,
    personal_data: false,
  };
}

export const isHistory = ({ type, source_id }: ContextItem): boolean =>
  type === CHAT_HISTORY && source_id === THREAD_SOURCE;

/** Returns the permitted, fresh and authoritative items; personal data only if the boundary allows it. */
function permittedItems({ items }: CompiledContext, { token, boundary, now }: Viewer): readonly ContextItem[] {
  const { authority_min, personal_data } = boundary.observations;
  return items.filter(
    (item) =>
      token.data_scopes.includes(item.permission_scope) &&
      now < item.fresh_until &&
      item.authority >= authority_min &&
      (personal_data === 'allowed' || !item.personal_data),
  );
}

/** The source of items from a tenant's memory. They are not evidence, because an old fact has to be looked up again. */
export const MEMORY_SOURCE = 'memory';

/** Returns the newest visible item of each type that is trusted and not a memory. */
export function evidenceOf(context: CompiledContext, viewer: Viewer): Readonly<Record<string, string>> {
  const newest = new Map<string, ContextItem>();
  for (const item of permittedItems(context, viewer)) {
    const known = newest.get(item.type);
    if (
      item.trusted &&
      item.source_id !== MEMORY_SOURCE &&
      (known === undefined || item.observed_at > known.observed_at)
    )
      newest.set(item.type, item);
  }
  return Object.fromEntries(Array.from(newest, ([type, { key }]) => [type, key]));
}

/** Returns the expiry of each of these items, or an empty object if there are none. */
export function freshness(
  { items }: CompiledContext,
  evidence: Readonly<Record<string, string>>,
): { readonly fresh_until?: Readonly<Record<string, number>> } {
  const keys = new Set(Object.values(evidence));
  if (keys.size === 0) return {};
  const named = items.filter(({ key }) => keys.has(key)).map(({ key, fresh_until }) => [key, fresh_until] as const);
  return { fresh_until: Object.fromEntries(named) };
}
