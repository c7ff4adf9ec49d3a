import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../../model/json/json.ts';
import { pointerToken } from '../../../model/json/pointer.ts';
import { looksLikeBinding, looksLikeDraft } from '../../../model/plan/plan.ts';

/** One value of the arguments: a literal of the plan, or the value of a binding, a draft or a default. */
export type ArgumentLeaf =
  | { readonly kind: 'literal'; readonly name: string; readonly value: Json }
  | { readonly kind: 'bound'; readonly from: string }
  | { readonly kind: 'drafted'; readonly name: string; readonly value: Json; readonly draft: JsonObject }
  | { readonly kind: 'default' };

/** A leaf and its JSON Pointer, which is unique. */
type PlacedLeaf = readonly [pointer: string, leaf: ArgumentLeaf];

/**
 * Lists the leaves of the arguments, compared with the params they were built from. The value of a binding is one leaf,
 * since all of it has one source. Empty lists and objects are leaves.
 */
export function argumentLeaves(params: JsonObject, args: JsonObject): readonly PlacedLeaf[] {
  const leaves: PlacedLeaf[] = [];
  collect(leaves, params, args, '', '');
  return leaves;
}

function collect(leaves: PlacedLeaf[], param: Json | undefined, arg: Json, name: string, pointer: string): void {
  const leaf = leafAt(param, arg, name);
  if (leaf !== null) {
    // Empty arguments are not a leaf.
    if (pointer !== '' || leaf.kind === 'bound' || leaf.kind === 'drafted') leaves.push([pointer, leaf]);
  } else if (isJsonList(param) && isJsonList(arg)) {
    for (const [at, item] of arg.entries()) collect(leaves, param[at], item, name, `${pointer}/${at}`);
  } else if (isJsonObject(param) && isJsonObject(arg)) {
    for (const key of Object.keys(arg)) {
      collect(leaves, own(param, key), arg[key] ?? null, key, pointer + pointerToken(key));
    }
  }
}

/** Null for a list or an object with children. */
function leafAt(param: Json | undefined, arg: Json, name: string): ArgumentLeaf | null {
  if (param === undefined) return { kind: 'default' };
  if (typeof param !== 'object' || param === null) return { kind: 'literal', name, value: param };
  const bound: boolean = looksLikeBinding(param);
  if (bound && isJsonObject(param)) return { kind: 'bound', from: String(param['$from']) };
  const open: boolean = looksLikeDraft(param);
  if (open && isJsonObject(param)) return { kind: 'drafted', name, value: arg, draft: param };
  return Object.keys(param).length === 0 ? { kind: 'literal', name, value: param } : null;
}
