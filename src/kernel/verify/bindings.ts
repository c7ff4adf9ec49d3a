import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../model/json/json.ts';
import { stepInto } from '../../model/json/json-at.ts';
import { pointerKeys, pointerToken } from '../../model/json/pointer.ts';
import type { Problem } from '../../model/json/problem.ts';
import { storedAt, storedPart } from '../../model/json/stored-answer.ts';
import { Binding, hasBinding, looksLikeBinding, looksLikeDraft } from '../../model/plan/plan.ts';
import { exactList, exactObjectDomain, literalDomain, type Producer } from './fit/domain.ts';

type ResolvedArguments =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Replaces bindings by committed values. `lookup` returns what a step committed, or undefined. Parts without a binding
 * are shared with `params`, not copied. The path of a problem points into `params`.
 */
export function resolveBindings(params: JsonObject, lookup: (step: string) => Json | undefined): ResolvedArguments {
  if (!hasBinding(params)) return { ok: true, args: params };
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

const STORED_OUTSIDE =
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
    return part === undefined ? unresolved(`what ${$from} answered ${STORED_OUTSIDE}`) : { value: part };
  }
  for (const token of pointerKeys(source)) {
    value = stepInto(value, token);
    if (value === undefined) return unresolved(`what ${$from} committed has nothing at ${JSON.stringify(source)}`);
  }
  return { value };
}

/** Turns arguments into a producer; `fill` returns the producer of a binding or a draft. */
export function toProducer(
  value: Json,
  fill: (raw: JsonObject, path: string) => Producer,
  path: string = '',
): Producer {
  if (typeof value !== 'object' || value === null) return literalDomain(value);
  if (isJsonList(value)) return exactList(value.map((item, index) => toProducer(item, fill, `${path}/${index}`)));
  const hole: boolean = looksLikeBinding(value) || looksLikeDraft(value);
  if (hole) return fill(value, path);
  const fields = new Map<string, Producer>();
  for (const [key, child] of Object.entries(value)) fields.set(key, toProducer(child, fill, path + pointerToken(key)));
  return exactObjectDomain(fields);
}
