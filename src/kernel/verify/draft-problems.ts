import { Draft, looksLikeDraft } from '../../model/draft.ts';
import { isJsonList, type Json, type JsonObject } from '../../model/json.ts';
import { looksLikeBinding } from '../../model/plan.ts';
import { pointerToken } from '../../model/pointer.ts';
import type { ToolSpec } from '../../model/tool.ts';
import { holdsDraft } from '../draft/draft-places.ts';

/** What a plan may leave open: nothing where nobody writes arguments, or where no model has the right to. */
export type Drafting = 'allowed' | 'refused';

/** Why something cannot be left open in this way at this place, or null. */
export function draftProblem(
  raw: JsonObject,
  path: string,
  spec: ToolSpec | undefined,
  drafting: Drafting,
): string | null {
  if (drafting === 'refused') return 'nobody writes arguments in this run: write the value itself, or a binding';
  const read = Draft.safeParse(raw);
  if (!read.success) return 'a draft has exactly "$draft", what to write, and, if needed, "using", a list of values';
  if (holdsDraft(read.data.using ?? [])) return 'a draft is not written from another draft';
  const tool = spec?.unwrap?.tool;
  const chooses = tool !== undefined && (tool === path || tool.startsWith(`${path}/`));
  return chooses ? 'which tool is called is for the plan to say, not for a draft' : null;
}

/** Every binding that a draft is written from, with its place in the draft. */
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

export const isDraft = (raw: JsonObject): boolean => looksLikeDraft(raw) && !looksLikeBinding(raw);
