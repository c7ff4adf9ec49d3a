import type { Subtask } from '../../model/plan.ts';

/** A sub-task that said the same as an earlier one and was folded into it. */
export interface Merge {
  readonly kept: string;
  readonly removed: string;
}

export interface MergedSubtasks {
  /** The very list that was given, if it had no twins. */
  readonly subtasks: readonly Subtask[];
  readonly merged: readonly Merge[];
}

/**
 * Two sub-tasks with the same goal and criteria are one piece of work. The first stays and waits for everything either
 * of them waited for; whoever waited for the other now waits for it.
 */
export function mergeSubtasks(subtasks: readonly Subtask[]): MergedSubtasks {
  const firsts = new Map<string, number>();
  const heirOf = new Map<string, string>();
  const waitsFor = new Map<number, string[]>();
  const merged: Merge[] = [];
  subtasks.forEach((subtask, index) => {
    const signature = signatureOf(subtask);
    const first = firsts.get(signature);
    if (first === undefined) {
      firsts.set(signature, index);
      return;
    }
    const kept = subtasks[first]?.id ?? subtask.id;
    if (kept !== subtask.id) heirOf.set(subtask.id, kept);
    const waits = waitsFor.get(first) ?? [];
    waits.push(...(subtask.depends_on ?? []));
    waitsFor.set(first, waits);
    merged.push({ kept, removed: subtask.id });
  });
  if (merged.length === 0) return { subtasks, merged };
  const kept = [...firsts.values()].flatMap((index) => {
    const subtask = subtasks[index];
    return subtask === undefined ? [] : [inherit(subtask, waitsFor.get(index) ?? [], heirOf)];
  });
  return { subtasks: kept, merged };
}

/** What makes a sub-task the same as another. Criteria are a set: their order and repetition say nothing. */
export function signatureOf({ goal, completion_criteria: criteria }: Subtask): string {
  return JSON.stringify([goal, [...new Set(criteria)].sort()]);
}

function inherit(subtask: Subtask, added: readonly string[], heirOf: ReadonlyMap<string, string>): Subtask {
  const before = subtask.depends_on ?? [];
  const all = [...new Set([...before, ...added].map((id) => heirOf.get(id) ?? id))];
  // Waiting for one's own twin was waiting for oneself; a wait that was declared that way stays, and is a circle.
  const after = all.filter((id) => id !== subtask.id || before.includes(id));
  if (after.length === before.length && after.every((id, place) => id === before[place])) return subtask;
  return { ...subtask, depends_on: after };
}
