import { onStepCommitted } from './on-verified.ts';
import type { Reacts } from './reaction.ts';
import { noteEffect } from './rollback/made-effects.ts';
import { assertedBy, stateFact } from './stated-facts.ts';
import { vecGet } from './vec.ts';

/** What was committed is also remembered as what its source says, where others may say something else. */
export const onFactsCommitted: Reacts<'step_committed'> = (env, state, event) => {
  const reaction = onStepCommitted(env, state, event);
  const [committed, effects] = reaction;
  const { current } = committed;
  const fact = current === null ? null : (vecGet(committed.work.progress, current.index)?.fact ?? null);
  if (current === null || fact === null) return reaction;
  const work = noteEffect(env, committed, fact);
  const spec = env.tools.get(current.tool);
  if (spec?.asserts === undefined) return [{ ...committed, work }, effects];
  const stated = assertedBy(spec, current.args, fact).reduce(stateFact, work.stated);
  return [{ ...committed, work: { ...work, stated } }, effects];
};
