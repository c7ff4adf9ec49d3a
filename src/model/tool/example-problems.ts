import { isJsonList, type Json } from '../json/json.ts';
import { pointerToken } from '../json/pointer.ts';
import type { Problem } from '../json/problem.ts';
import { looksLikeBinding, looksLikeDraft } from '../plan/plan.ts';

/**
 * Filters the problems of an example call. A problem at, above or below a binding or draft is dropped, because an
 * earlier step would fill in that value.
 */
export function exampleProblems(params: Json, problems: readonly Problem[]): readonly Problem[] {
  const holes = findHoles(params, '');
  return problems.filter(({ path }) => !holes.some((hole) => contains(hole, path) || contains(path, hole)));
}

const contains = (outer: string, inner: string): boolean => inner === outer || inner.startsWith(`${outer}/`);

function findHoles(value: Json, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (isJsonList(value)) return value.flatMap((item, at) => findHoles(item, `${path}/${at}`));
  const hole: boolean = looksLikeBinding(value) || looksLikeDraft(value);
  if (hole) return [path];
  return Object.entries(value).flatMap(([key, child]) => findHoles(child, path + pointerToken(key)));
}
