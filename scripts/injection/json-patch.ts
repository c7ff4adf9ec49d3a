import { isJsonList, isJsonObject, type Json } from '../../src/model/json.ts';

/** One operation of a JSON Patch (RFC 6902). */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string | undefined;
  readonly value?: Json | undefined;
}

/** The document after the operations, in their order. The one given stays as it is, and what did not change is shared. */
export function applyPatch(document: Json, operations: readonly PatchOperation[]): Json {
  return operations.reduce(applyOperation, document);
}

function applyOperation(document: Json, { op, path, from = '', value = null }: PatchOperation): Json {
  const to = tokensOf(path);
  switch (op) {
    case 'add':
      return put(document, to, value, 'add');
    case 'replace':
      return put(document, to, value, 'replace');
    case 'remove':
      return take(document, to);
    case 'move':
      return put(take(document, tokensOf(from)), to, look(document, tokensOf(from)), 'add');
    case 'copy':
      return put(document, to, look(document, tokensOf(from)), 'add');
    case 'test':
      return document;
    default:
      throw new Error(`JSON Patch has no operation ${String(op satisfies never)}`);
  }
}

/** RFC 6901. */
function tokensOf(pointer: string): readonly string[] {
  const [head, ...tokens] = pointer.split('/');
  if (head !== '') throw new Error(`${JSON.stringify(pointer)} is no JSON Pointer`);
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function look(value: Json, tokens: readonly string[]): Json {
  return tokens.reduce<Json>((held, token) => memberOf(held, token), value);
}

function put(value: Json, [token, ...rest]: readonly string[], given: Json, how: 'add' | 'replace'): Json {
  if (token === undefined) return given;
  if (rest.length > 0) return withMember(value, token, put(memberOf(value, token), rest, given, how));
  if (isJsonList(value) && how === 'add') return value.toSpliced(placeIn(value, token, value.length), 0, given);
  if (how === 'replace') memberOf(value, token);
  return withMember(value, token, given);
}

function take(value: Json, [token, ...rest]: readonly string[]): Json {
  if (token === undefined) throw new Error('a document cannot be taken out of itself');
  const member = memberOf(value, token);
  if (rest.length > 0) return withMember(value, token, take(member, rest));
  if (isJsonList(value)) return value.toSpliced(placeIn(value, token, value.length - 1), 1);
  const { [token]: _, ...left } = value as Readonly<Record<string, Json>>;
  return left;
}

function memberOf(value: Json, token: string): Json {
  if (isJsonList(value)) return value[placeIn(value, token, value.length - 1)] ?? null;
  if (!isJsonObject(value) || !Object.hasOwn(value, token)) throw new Error(`there is nothing at ${token}`);
  return value[token] ?? null;
}

function withMember(value: Json, token: string, member: Json): Json {
  if (isJsonList(value)) return value.with(placeIn(value, token, value.length - 1), member);
  if (!isJsonObject(value)) throw new Error(`nothing can be put at ${token}`);
  return { ...value, [token]: member };
}

function placeIn(list: readonly Json[], token: string, last: number): number {
  const place = token === '-' ? list.length : Number(token);
  if (!/^(?:0|[1-9]\d*|-)$/.test(token) || place > last) throw new Error(`the list has no place ${token}`);
  return place;
}
