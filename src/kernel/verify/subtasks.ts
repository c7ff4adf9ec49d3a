import type { Subtask } from '../../model/plan/plan.ts';

/**
 * Merges sub-tasks with the same goal and criteria. The first one stays, gets the dependencies of both, and replaces
 * the other in the dependencies of all others. Returns the same list if no two are equal.
 */
export function mergeSubtasks(subtasks: readonly Subtask[]): readonly Subtask[] {
  const firsts = new Map<string, number>();
  const keptIdOf = new Map<string, string>();
  const waitsFor = new Map<number, string[]>();
  subtasks.forEach((subtask, index) => {
    const signature = signatureOf(subtask);
    const first = firsts.get(signature);
    if (first === undefined) {
      firsts.set(signature, index);
      return;
    }
    const kept = subtasks[first]?.id ?? subtask.id;
    if (kept !== subtask.id) keptIdOf.set(subtask.id, kept);
    const waits = waitsFor.get(first) ?? [];
    waits.push(...(subtask.depends_on ?? []));
    waitsFor.set(first, waits);
  });
  if (waitsFor.size === 0) return subtasks;
  return [...firsts.values()].flatMap((index) => {
    const subtask = subtasks[index];
    return subtask === undefined ? [] : [mergeDependencies(subtask, waitsFor.get(index) ?? [], keptIdOf)];
  });
}

/** The identity of a sub-task. Criteria are compared as a set. */
export function signatureOf({ goal, completion_criteria: criteria }: Subtask): string {
  return JSON.stringify([goal, [...new Set(criteria)].sort()]);
}

function mergeDependencies(subtask: Subtask, added: readonly string[], heirOf: ReadonlyMap<string, string>): Subtask {
  const before = subtask.depends_on ?? [];
  const all = [...new Set([...before, ...added].map((id) => heirOf.get(id) ?? id))];
  // Drops a dependency on itself that the merge created; one that the planner declared stays and is reported as a
  // cycle.
  const after = all.filter((id) => id !== subtask.id || before.includes(id));
  if (after.length === before.length && after.every((id, place) => id === before[place])) return subtask;
  return { ...subtask, depends_on: after };
}
