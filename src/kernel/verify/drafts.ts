import { isJsonList, type Json, type JsonObject, own } from '../../model/json/json.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { Draft, type Drafts, hasDraft, looksLikeBinding, looksLikeDraft } from '../../model/plan/plan.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';

/** Whether a plan may leave arguments to be drafted. Refused if the run has no drafter or no model has the right. */
export type Drafting = 'allowed' | 'refused';

/** Returns why a draft is not allowed at this path, or null. */
export function draftProblem(
  raw: JsonObject,
  path: string,
  spec: ToolSpec | undefined,
  drafting: Drafting,
): string | null {
  if (drafting === 'refused') return 'nobody writes arguments in this run: write the value itself, or a binding';
  const read = Draft.safeParse(raw);
  if (!read.success) return 'a draft has exactly "$draft", what to write, and, if needed, "using", a list of values';
  if (hasDraft(read.data.using ?? [])) return 'a draft is not written from another draft';
  const tool = spec?.unwrap?.tool;
  const chooses = tool !== undefined && (tool === path || tool.startsWith(`${path}/`));
  return chooses ? 'which tool is called is for the plan to say, not for a draft' : null;
}

/** The bindings in a draft's `using`, with their paths in the draft. */
export function bindingsOfDraft(raw: JsonObject): readonly (readonly [path: string, binding: JsonObject])[] {
  const found: (readonly [string, JsonObject])[] = [];
  const look = (value: Json, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const bound: boolean = looksLikeBinding(value);
    if (isJsonList(value)) for (const [at, item] of value.entries()) look(item, `${path}/${at}`);
    else if (bound) found.push([path, value]);
    else for (const [key, child] of Object.entries(value)) look(child, path + pointerToken(key));
  };
  look(raw['using'] ?? null, '/using');
  return found;
}

/** All drafts in the params by JSON Pointer, in order. */
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
 * Replaces the plan's drafts by the drafted values. A bound value is taken as it is, even if it looks like a draft.
 * Returns undefined if a drafted value is missing.
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

/** Casts a draft from resolved arguments, without a check: verification has accepted it. */
export const readDraft = (raw: Json | undefined): Draft => raw as unknown as Draft;
