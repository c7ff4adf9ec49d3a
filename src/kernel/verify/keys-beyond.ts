import { looksLikeDraft } from '../../model/draft.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { looksLikeBinding } from '../../model/plan.ts';
import { below, branches, isForeign, keyword, type Rooted, resolveRef, rooted } from './fit/rooted.ts';

/** Schemas may refer to themselves and multiply; what is not found among this many counts as not declared. */
const PARTS_MAX = 500;

/** The keys in a step's params, at any depth, that the schema of the arguments does not name. */
export function keysBeyond(schema: JsonObject, params: JsonObject): readonly string[] {
  const found: string[] = [];
  collect(found, [rooted(schema)], params);
  return found;
}

function collect(found: string[], schemas: readonly Rooted[], value: Json): void {
  if (typeof value !== 'object' || value === null) return;
  const open: boolean = looksLikeBinding(value) || looksLikeDraft(value);
  if (open) return;
  const parts = partsOf(schemas);
  if (isJsonList(value)) {
    for (const [at, item] of value.entries())
      collect(
        found,
        childSchemas(parts, (node) => itemOf(node, at)),
        item,
      );
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    const named = childSchemas(parts, (node) => own(keyword(node, 'properties'), key));
    if (named.length === 0) found.push(key);
    const schemasOfChild =
      named.length > 0 ? named : childSchemas(parts, (node) => keyword(node, 'additionalProperties'));
    collect(found, schemasOfChild, child);
  }
}

/** Everything that describes the value, in full or in part: which of several parts applies is not asked. */
function partsOf(schemas: readonly Rooted[]): readonly Rooted[] {
  const parts = new Set<Rooted['schema']>();
  const found: Rooted[] = [];
  const left = [...schemas];
  for (let part = left.pop(); part !== undefined && found.length < PARTS_MAX; part = left.pop()) {
    const { schema } = part;
    if (typeof schema === 'boolean' || isForeign(part) || parts.has(schema)) continue;
    parts.add(schema);
    found.push(part);
    const target = resolveRef(part, keyword(schema, '$ref') ?? null);
    if (target !== null) left.push(target);
    for (const name of ['allOf', 'anyOf', 'oneOf']) left.push(...(branches(part, keyword(schema, name) ?? null) ?? []));
  }
  return found;
}

function childSchemas(parts: readonly Rooted[], pick: (node: JsonObject) => Json | undefined): readonly Rooted[] {
  return parts.flatMap((part) => {
    const schema = typeof part.schema === 'boolean' ? null : below(part, pick(part.schema));
    return schema === null ? [] : [schema];
  });
}

const own = (node: Json | undefined, key: string): Json | undefined =>
  isJsonObject(node) ? keyword(node, key) : undefined;

function itemOf(node: JsonObject, at: number): Json | undefined {
  const first = keyword(node, 'prefixItems');
  return (isJsonList(first) ? first[at] : undefined) ?? keyword(node, 'items');
}
