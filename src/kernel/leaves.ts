import { looksLikeDraft } from '../model/draft.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { own } from '../model/own.ts';
import { looksLikeBinding } from '../model/plan.ts';
import { pointerToken } from '../model/pointer.ts';

/** One value of the arguments: a leaf that the plan says, or whatever one binding, one draft or one default supplies. */
export type Leaf =
  | { readonly kind: 'literal'; readonly name: string; readonly value: Json }
  | { readonly kind: 'bound'; readonly from: string }
  | { readonly kind: 'drafted'; readonly name: string; readonly value: Json; readonly draft: JsonObject }
  | { readonly kind: 'default' };

/** A leaf and its JSON Pointer, of which no two are the same. */
type Placed = readonly [pointer: string, leaf: Leaf];

/**
 * Goes through the arguments beside the parameters of the plan that they were made from, once. What a binding supplies
 * is one value, however much it holds: it all comes from the same place. Empty lists and objects are leaves.
 */
export function leavesOf(params: JsonObject, args: JsonObject): readonly Placed[] {
  const leaves: Placed[] = [];
  collect(leaves, params, args, '', '');
  return leaves;
}

function collect(leaves: Placed[], param: Json | undefined, arg: Json, name: string, pointer: string): void {
  const leaf = leafAt(param, arg, name);
  if (leaf !== null) {
    // No arguments at all are nothing that anybody could have said.
    if (pointer !== '' || leaf.kind === 'bound' || leaf.kind === 'drafted') leaves.push([pointer, leaf]);
  } else if (isJsonList(param) && isJsonList(arg)) {
    for (const [at, item] of arg.entries()) collect(leaves, param[at], item, name, `${pointer}/${at}`);
  } else if (isJsonObject(param) && isJsonObject(arg)) {
    for (const key of Object.keys(arg)) {
      collect(leaves, own(param, key), arg[key] ?? null, key, pointer + pointerToken(key));
    }
  }
}

/** Null for what has to be looked into. */
function leafAt(param: Json | undefined, arg: Json, name: string): Leaf | null {
  if (param === undefined) return { kind: 'default' };
  if (typeof param !== 'object' || param === null) return { kind: 'literal', name, value: param };
  const bound: boolean = looksLikeBinding(param);
  if (bound && isJsonObject(param)) return { kind: 'bound', from: String(param['$from']) };
  const open: boolean = looksLikeDraft(param);
  if (open && isJsonObject(param)) return { kind: 'drafted', name, value: arg, draft: param };
  return Object.keys(param).length === 0 ? { kind: 'literal', name, value: param } : null;
}
