import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { Binding, looksLikeBinding } from '../../model/plan.ts';
import { pointerToken } from '../../model/pointer.ts';
import type { Problem } from '../../model/problem.ts';
import { storedAt, storedPart } from '../../model/stored-answer.ts';
import { holdsBinding } from './argument-shape.ts';
import { stepInto, tokensOf } from './pointer-walk.ts';

export type ResolvedArguments =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Puts committed values where bindings stand. `lookup` gives what a step committed, or undefined. Whatever holds no
 * binding is shared with `params`, not copied. The problem's path points into `params`.
 */
export function resolveBindings(params: JsonObject, lookup: (step: string) => Json | undefined): ResolvedArguments {
  if (!holdsBinding(params)) return { ok: true, args: params };
  const resolved = resolve(params, '', lookup);
  if ('problem' in resolved) return { ok: false, problem: resolved.problem };
  if (isJsonObject(resolved.value)) return { ok: true, args: resolved.value };
  const message = 'what the binding supplies is no object, and arguments are one';
  return { ok: false, problem: { code: 'binding_type_mismatch', path: '', message } };
}

type Resolved = { readonly value: Json } | { readonly problem: Problem };

function resolve(value: Json, path: string, lookup: (step: string) => Json | undefined): Resolved {
  if (typeof value !== 'object' || value === null) return { value };
  const bound: boolean = looksLikeBinding(value);
  if (bound && isJsonObject(value)) return follow(value, path, lookup);
  const entries = isJsonList(value) ? value.entries() : Object.entries(value);
  const changed = new Map<number | string, Json>();
  for (const [key, child] of entries) {
    const resolved = resolve(child, path + pointerToken(String(key)), lookup);
    if ('problem' in resolved) return resolved;
    if (resolved.value !== child) changed.set(key, resolved.value);
  }
  if (changed.size === 0) return { value };
  if (isJsonList(value))
    return { value: value.map((child, index) => (changed.has(index) ? (changed.get(index) ?? null) : child)) };
  return { value: { ...value, ...Object.fromEntries(changed) } };
}

const BESIDE =
  'is too large for the journal and kept beside it, and this part of it is not in line: bind to a smaller part in the plan that makes the call, let its tool answer with less, or raise its limits.payloadMaxBytes';

function follow(raw: JsonObject, path: string, lookup: (step: string) => Json | undefined): Resolved {
  const unresolved = (message: string): Resolved => ({ problem: { code: 'binding_unresolved', path, message } });
  const read = Binding.safeParse(raw);
  if (!read.success) return unresolved('a binding has exactly "$from", the id of a step, and "path", a JSON Pointer');
  const { $from, path: source } = read.data;
  let value = lookup($from);
  if (value === undefined) return unresolved(`step ${$from} has committed nothing`);
  if (storedAt(value) !== null) {
    const part = storedPart(value, source);
    return part === undefined ? unresolved(`what ${$from} answered ${BESIDE}`) : { value: part };
  }
  for (const token of tokensOf(source)) {
    value = stepInto(value, token);
    if (value === undefined) return unresolved(`what ${$from} committed has nothing at ${JSON.stringify(source)}`);
  }
  return { value };
}
