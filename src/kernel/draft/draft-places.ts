import { type Draft, type Drafts, looksLikeDraft } from '../../model/draft.ts';
import { isJsonList, type Json, type JsonObject } from '../../model/json.ts';
import { own } from '../../model/own.ts';
import { looksLikeBinding } from '../../model/plan.ts';
import { pointerToken } from '../../model/pointer.ts';

/** Whether a plan leaves something of these params to be written. Depth was bounded when the plan was read. */
export function holdsDraft(params: Json): boolean {
  if (typeof params !== 'object' || params === null) return false;
  if (isJsonList(params)) return params.some(holdsDraft);
  const open: boolean = looksLikeDraft(params);
  if (open) return true;
  for (const key in params) if (holdsDraft(params[key] ?? null)) return true;
  return false;
}

/** Every place that is left to be written, by where it stands, in the order of the params. */
export function draftsIn(params: JsonObject): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  const look = (value: Json, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const open: boolean = looksLikeDraft(value);
    if (isJsonList(value)) for (const [at, item] of value.entries()) look(item, `${pointer}/${at}`);
    else if (open) found.set(pointer, value);
    else for (const [key, child] of Object.entries(value)) look(child, pointer + pointerToken(key));
  };
  look(params, '');
  return found;
}

/**
 * Puts what was written where the plan leaves it to be written, and nowhere else: what a binding brought along is taken
 * as it is, even where it looks like a draft. Undefined at the first place that nothing was written for.
 */
export function putDrafts(param: Json, arg: Json, drafts: Drafts, pointer = ''): Json | undefined {
  if (typeof param !== 'object' || param === null) return arg;
  if (isJsonList(param)) return isJsonList(arg) ? putInList(param, arg, drafts, pointer) : arg;
  const open: boolean = looksLikeDraft(param);
  if (open) return own(drafts, pointer);
  const bound: boolean = looksLikeBinding(param);
  if (bound || typeof arg !== 'object' || arg === null || isJsonList(arg)) return arg;
  const fields: [string, Json][] = [];
  for (const [key, child] of Object.entries(param)) {
    const put = putDrafts(child, own(arg, key) ?? null, drafts, pointer + pointerToken(key));
    if (put === undefined) return undefined;
    fields.push([key, put]);
  }
  return Object.fromEntries(fields);
}

function putInList(
  param: readonly Json[],
  arg: readonly Json[],
  drafts: Drafts,
  pointer: string,
): readonly Json[] | undefined {
  const items: Json[] = [];
  for (const [at, child] of param.entries()) {
    const put = putDrafts(child, arg[at] ?? null, drafts, `${pointer}/${at}`);
    if (put === undefined) return undefined;
    items.push(put);
  }
  return items;
}

/** As it stands in resolved arguments: a verified plan holds only drafts that can be read. */
export const readDraft = (raw: Json | undefined): Draft => raw as unknown as Draft;
