import type { Boundary } from '../policy/boundary.ts';
import type { SecurityToken } from '../run/identity.ts';
import type { CompiledContext, ContextItem } from './context.ts';

export interface Viewer {
  readonly token: SecurityToken;
  readonly boundary: Boundary;
  readonly now: number;
}

/** Returns the permitted, fresh and authoritative items; personal data only if the boundary allows it. */
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

/** The source of items from a tenant's memory. They are not evidence, because an old fact has to be looked up again. */
export const MEMORY_SOURCE = 'memory';

/** Returns the newest visible item of each type that is trusted and not a memory. */
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
