import { looksLikeDraft } from './draft.ts';
import { isJsonList, type Json } from './json.ts';
import { looksLikeBinding } from './plan.ts';
import { pointerToken } from './pointer.ts';
import type { Problem } from './problem.ts';

/**
 * What is wrong with an example of a call, of all that a check of whole arguments says: what concerns a place that an
 * earlier step would fill, or what is around one, cannot be told before it is filled.
 */
export function exampleProblems(params: Json, problems: readonly Problem[]): readonly Problem[] {
  const holes = holesIn(params, '');
  return problems.filter(({ path }) => !holes.some((hole) => holds(hole, path) || holds(path, hole)));
}

const holds = (outer: string, inner: string): boolean => inner === outer || inner.startsWith(`${outer}/`);

function holesIn(value: Json, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (isJsonList(value)) return value.flatMap((item, at) => holesIn(item, `${path}/${at}`));
  const hole: boolean = looksLikeBinding(value) || looksLikeDraft(value);
  if (hole) return [path];
  return Object.entries(value).flatMap(([key, child]) => holesIn(child, path + pointerToken(key)));
}
