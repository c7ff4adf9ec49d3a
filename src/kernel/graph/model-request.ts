import type { CompiledGraph } from './compiled-graph.ts';

export type RequestRuling = 'granted' | 'no_such_edge' | 'not_a_choice' | 'guard_does_not_hold';

/**
 * What becomes of a model's wish to move on. It may choose among the edges that are its to choose and whose guards
 * hold now; it cannot take the orchestrator's, and it cannot add one.
 */
export function ruleOnRequest<S>(
  graph: CompiledGraph<S>,
  request: { readonly from: string; readonly to: string },
  state: S,
): RequestRuling {
  const guard = graph.edge(request.from, request.to);
  if (guard === null) return 'no_such_edge';
  if (!graph.choices(request.from).includes(request.to)) return 'not_a_choice';
  return guard(state) ? 'granted' : 'guard_does_not_hold';
}
