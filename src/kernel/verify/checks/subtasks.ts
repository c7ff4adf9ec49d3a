import type { Problem } from '../../../model/json/problem.ts';
import type { Subtask } from '../../../model/plan/plan.ts';
import { buildGraph, findCycles } from '../../state/dependency-graph.ts';
import type { Subject } from '../subject.ts';
import { signatureOf } from '../subtasks.ts';

/** Every proposed sub-task has criteria, an allowed depth and its own id; the merged ones form no cycle. */
export function checkSubtasks({ proposed, plan, context }: Subject): readonly Problem[] {
  const subtasks = proposed.subtasks ?? [];
  if (subtasks.length === 0) return [];
  const { depth, depthMax } = context.known;
  const placeOf = new Map<string, number>();
  const problems: Problem[] = [];
  subtasks.forEach((subtask, place) => {
    const path = `/subtasks/${place}`;
    const level = Math.max(subtask.depth, depth + 1);
    if (!subtask.completion_criteria.some((criterion) => criterion.trim() !== ''))
      problems.push({
        code: 'subtask_criteria_missing',
        path: `${path}/completion_criteria`,
        message: `sub-task ${subtask.id} does not say when it is done`,
      });
    if (level > depthMax)
      problems.push({
        code: 'depth_exceeded',
        path: `${path}/depth`,
        message: `sub-task ${subtask.id} is at depth ${level}; at most ${depthMax} is allowed`,
        detail: { depth: level, depth_max: depthMax },
      });
    const first = subtasks[placeOf.get(subtask.id) ?? -1];
    if (first === undefined) placeOf.set(subtask.id, place);
    else if (signatureOf(first) !== signatureOf(subtask))
      problems.push({
        code: 'duplicate_step_id',
        path: `${path}/id`,
        message: `two sub-tasks are named ${subtask.id}`,
      });
  });
  return [...problems, ...checkOrder(plan.subtasks ?? [], placeOf)];
}

function checkOrder(subtasks: readonly Subtask[], placeOf: ReadonlyMap<string, number>): readonly Problem[] {
  const graph = buildGraph(subtasks);
  const pathOf = (index: number): string => `/subtasks/${placeOf.get(subtasks[index]?.id ?? '') ?? 0}/depends_on`;
  const dangling = graph.dangling.map(({ node, at }): Problem => {
    const missing = subtasks[node]?.depends_on?.[at] ?? '';
    const message = `sub-task ${subtasks[node]?.id} depends on ${missing}, which is not in the plan`;
    return { code: 'unknown_dependency', path: pathOf(node), message, detail: { missing } };
  });
  const waiting = findCycles(graph).map((circle): Problem => {
    const ids = circle.map((index) => subtasks[index]?.id ?? '');
    const message = `sub-tasks wait for each other: ${[...ids, ids[0]].join(' → ')}`;
    return { code: 'dependency_cycle', path: pathOf(circle[0] ?? 0), message, detail: { subtasks: ids } };
  });
  return [...dangling, ...waiting];
}
