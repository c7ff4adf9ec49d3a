import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../../model/json/json.ts';
import { looksLikeDraft } from '../../../model/plan/draft.ts';
import { looksLikeBinding } from '../../../model/plan/plan.ts';
import { below, branches, isForeign, keyword, type Rooted, resolveRef, rooted } from './rooted.ts';

/** Limit of searched schemas, which may refer to themselves. A key not found within it counts as undeclared. */
const PARTS_MAX = 500;

/** Returns the keys of a step's params, at any depth, that the input schema does not declare. */
export function findUndeclaredKeys(schema: JsonObject, params: JsonObject): readonly string[] {
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

/** All schemas that may describe the value, through references and unions, whichever branch applies. */
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
