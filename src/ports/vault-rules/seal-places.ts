import { canonicalize } from '../../model/canonical.ts';
import type { Json } from '../../model/json.ts';
import { jsonAt } from '../../model/json-at.ts';
import { isSealed, placesIn, withPlaces } from '../../model/sealed.ts';
import type { Vault } from '../vault.ts';

/** The same document with a handle in place of everything that the patterns name. What is sealed already stays so. */
export async function sealPlaces(
  vault: Pick<Vault, 'seal'>,
  tenantId: string,
  document: Json,
  patterns: readonly string[],
): Promise<Json> {
  const sealed = new Map<string, Json>();
  for (const place of placesIn(document, patterns)) {
    const value = jsonAt(document, place) ?? null;
    if (!isSealed(value)) sealed.set(place, await vault.seal(tenantId, canonicalize(value)));
  }
  return sealed.size === 0 ? document : withPlaces(document, sealed);
}
