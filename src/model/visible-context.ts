import type { Boundary } from './boundary.ts';
import type { CompiledContext, ContextItem } from './context.ts';
import type { SecurityToken } from './identity.ts';

export interface Viewer {
  readonly token: SecurityToken;
  readonly boundary: Boundary;
  readonly now: number;
}

/** What of a compiled context this run may be shown: permitted, fresh, authoritative enough, and no personal data. */
export function visibleItems({ items }: CompiledContext, { token, boundary, now }: Viewer): readonly ContextItem[] {
  const { authority_min, personal_data } = boundary.observations;
  return items.filter(
    (item) =>
      token.data_scopes.includes(item.permission_scope) &&
      now < item.fresh_until &&
      item.authority >= authority_min &&
      (personal_data === 'allowed' || !item.personal_data),
  );
}

/** Where items come from that a tenant remembers. What was true once has to be looked up to be true now. */
export const MEMORY_SOURCE = 'memory';

/** Per type, the newest visible item a decision may rest on. What an untrusted source says is no ground for one. */
export function evidenceOf(context: CompiledContext, viewer: Viewer): Readonly<Record<string, string>> {
  const newest = new Map<string, ContextItem>();
  for (const item of visibleItems(context, viewer)) {
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

/** Until when each of these items may be rested on; nothing to say where there are none. */
export function freshness(
  { items }: CompiledContext,
  evidence: Readonly<Record<string, string>>,
): { readonly fresh_until?: Readonly<Record<string, number>> } {
  const keys = new Set(Object.values(evidence));
  if (keys.size === 0) return {};
  const named = items.filter(({ key }) => keys.has(key)).map(({ key, fresh_until }) => [key, fresh_until] as const);
  return { fresh_until: Object.fromEntries(named) };
}
