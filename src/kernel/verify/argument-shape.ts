import { looksLikeDraft } from '../../model/draft.ts';
import { isJsonList, type Json, type JsonObject } from '../../model/json.ts';
import { looksLikeBinding } from '../../model/plan.ts';
import { pointerToken } from '../../model/pointer.ts';
import { exactList, exactObject, lift, type Producer } from './fit/domain.ts';

/** Whether something of it is not known before its step comes up. Depth was bounded when the plan was read. */
export function holdsHole(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isJsonList(value)) return value.some(holdsHole);
  const hole: boolean = looksLikeBinding(value) || looksLikeDraft(value);
  if (hole) return true;
  for (const key in value) if (holdsHole(value[key] ?? null)) return true;
  return false;
}

export function holdsBinding(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isJsonList(value)) return value.some(holdsBinding);
  const bound: boolean = looksLikeBinding(value);
  if (bound) return true;
  for (const key in value) if (holdsBinding(value[key] ?? null)) return true;
  return false;
}

/**
 * Arguments with holes: literals are exactly themselves, and `fill` says what may come where a binding or a draft
 * stands.
 */
export function fillHoles(value: Json, fill: (raw: JsonObject, path: string) => Producer, path: string = ''): Producer {
  if (typeof value !== 'object' || value === null) return lift(value);
  if (isJsonList(value)) return exactList(value.map((item, index) => fillHoles(item, fill, `${path}/${index}`)));
  const hole: boolean = looksLikeBinding(value) || looksLikeDraft(value);
  if (hole) return fill(value, path);
  const fields = new Map<string, Producer>();
  for (const [key, child] of Object.entries(value)) fields.set(key, fillHoles(child, fill, path + pointerToken(key)));
  return exactObject(fields);
}
