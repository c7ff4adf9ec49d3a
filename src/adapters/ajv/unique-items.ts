import { type AnySchemaObject, type CodeKeywordDefinition, _ as code, type KeywordCxt, str } from 'ajv';
import { canonicalize } from '../../model/json/canonical.ts';
import { isJsonList, type Json, type JsonObject } from '../../model/json/json.ts';

/**
 * `uniqueItems` in linear time: the one of Ajv compares every item with every other unless the schema says that all are
 * scalars. It reports the same pair as Ajv, because recorded runs have the message.
 */
export const UNIQUE_ITEMS: CodeKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: {
    message: ({ params: { i, j } }) => str`must NOT have duplicate items (items ## ${j} and ${i} are identical)`,
    params: ({ params: { i, j } }) => code`{i: ${i}, j: ${j}}`,
  },
  code: (context: KeywordCxt) => {
    const { gen, data, schema, parentSchema } = context;
    if (schema !== true) return;
    const types = typesOf(parentSchema['items']);
    const isScalar = types.length > 0 && !types.includes('object') && !types.includes('array');
    const find = isScalar ? (list: readonly Json[]) => firstScalarTwins(list, types) : lastTwins;
    const twins = gen.const('twins', code`${gen.scopeValue('func', { ref: find })}(${data})`);
    context.setParams({ i: code`${twins}.i`, j: code`${twins}.j` });
    context.pass(code`${twins} === null`);
  },
};

function typesOf(items: AnySchemaObject | undefined): readonly string[] {
  const type: Json | undefined = items?.['type'];
  const types = isJsonList(type) ? type.map(String) : type === undefined ? [] : [String(type)];
  return items?.['nullable'] === true ? [...types, 'null'] : types;
}

/** The last item that repeats an earlier one, and the nearest that it repeats. */
function lastTwins(list: readonly Json[]): JsonObject | null {
  const places = new Map<string, number>();
  let twins: JsonObject | null = null;
  for (const [i, item] of list.entries()) {
    const text = canonicalize(item);
    const j = places.get(text);
    if (j !== undefined) twins = { i, j };
    places.set(text, i);
  }
  return twins;
}

/** The last item that a later one repeats. Items of other types are problems of their own. */
function firstScalarTwins(list: readonly Json[], types: readonly string[]): JsonObject | null {
  const places = new Map<string, number>();
  for (let i = list.length - 1; i >= 0; i -= 1) {
    const item = list[i] ?? null;
    if (!types.some((type) => hasType(item, type))) continue;
    const text = canonicalize(item);
    const j = places.get(text);
    if (j !== undefined) return { i, j };
    places.set(text, i);
  }
  return null;
}

function hasType(item: Json, type: string): boolean {
  if (type === 'null') return item === null;
  return type === 'integer' ? Number.isInteger(item) : typeof item === type;
}
