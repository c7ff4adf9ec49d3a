import { assocGet } from './assoc.ts';
import type { Fact, RunState } from './state.ts';
import { vecGet } from './vec.ts';

/** What an earlier step committed, whether under this plan or one it replaced. */
export function committedFact(state: RunState, stepId: string): Fact | null {
  const index = state.planning.active?.index.indexOf.get(stepId);
  const done = index === undefined ? undefined : vecGet(state.work.progress, index);
  if (done !== undefined) return done.status === 'committed' ? done.fact : null;
  return assocGet(state.work.carried.steps, stepId)?.fact ?? null;
}
