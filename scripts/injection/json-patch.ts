import { isJsonList, isJsonObject, type Json } from '../../src/model/json/json.ts';
import { pointerKeys } from '../../src/model/json/pointer.ts';

/** One operation of a JSON Patch (RFC 6902). */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string | undefined;
  readonly value?: Json | undefined;
}

/** Applies the operations in order. The input is not changed, and unchanged parts are shared. */
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
      throw new Error(`unknown JSON Patch operation ${String(op satisfies never)}`);
  }
}

/** Splits a JSON Pointer (RFC 6901). */
function tokensOf(pointer: string): readonly string[] {
  if (pointer !== '' && !pointer.startsWith('/')) throw new Error(`${JSON.stringify(pointer)} is not a JSON Pointer`);
  return pointerKeys(pointer);
}

function look(value: Json, tokens: readonly string[]): Json {
  return tokens.reduce<Json>((held, token) => memberOf(held, token), value);
}

function put(value: Json, [token, ...rest]: readonly string[], newValue: Json, how: 'add' | 'replace'): Json {
  if (token === undefined) return newValue;
  if (rest.length > 0) return withMember(value, token, put(memberOf(value, token), rest, newValue, how));
  if (isJsonList(value) && how === 'add') return value.toSpliced(placeIn(value, token, value.length), 0, newValue);
  if (how === 'replace') memberOf(value, token);
  return withMember(value, token, newValue);
}

function take(value: Json, [token, ...rest]: readonly string[]): Json {
  if (token === undefined) throw new Error('cannot remove the root of a document');
  const member = memberOf(value, token);
  if (rest.length > 0) return withMember(value, token, take(member, rest));
  if (isJsonList(value)) return value.toSpliced(placeIn(value, token, value.length - 1), 1);
  const { [token]: _, ...left } = value as Readonly<Record<string, Json>>;
  return left;
}

function memberOf(value: Json, token: string): Json {
  if (isJsonList(value)) return value[placeIn(value, token, value.length - 1)] ?? null;
  if (!isJsonObject(value) || !Object.hasOwn(value, token)) throw new Error(`there is no member ${token}`);
  return value[token] ?? null;
}

function withMember(value: Json, token: string, member: Json): Json {
  if (isJsonList(value)) return value.with(placeIn(value, token, value.length - 1), member);
  if (!isJsonObject(value)) throw new Error(`cannot add a member ${token}`);
  return { ...value, [token]: member };
}

function placeIn(list: readonly Json[], token: string, last: number): number {
  const place = token === '-' ? list.length : Number(token);
  if (!/^(?:0|[1-9]\d*|-)$/.test(token) || place > last) throw new Error(`the list has no index ${token}`);
  return place;
}
