import { onStepCommitted } from './on-verified.ts';
import type { Reacts } from './reaction.ts';
import { assertedBy, stateFact } from './stated-facts.ts';
import { vecGet } from './vec.ts';

/** What was committed is also remembered as what its source says, where others may say something else. */
export const onFactsCommitted: Reacts<'step_committed'> = (env, state, event) => {
  const reaction = onStepCommitted(env, state, event);
  const [committed, effects] = reaction;
  const { current, work } = committed;
  const spec = current === null ? undefined : env.tools.get(current.tool);
  if (current === null || spec?.asserts === undefined) return reaction;
  const fact = vecGet(work.progress, current.index)?.fact ?? null;
  if (fact === null) return reaction;
  const stated = assertedBy(spec, current.args, fact).reduce(stateFact, work.stated);
  return [{ ...committed, work: { ...work, stated } }, effects];
};
