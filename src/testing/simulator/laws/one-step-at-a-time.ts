import { type Law, takenBackBy, type Witness } from './law.ts';

/**
 * In stepwise planning every step was decided after the step before it, and the number of steps stays within its limit.
 * Other runs never use the state of this mode.
 */
export function oneStepAtATime({ scenario }: Witness): Law {
  const { planning, reactStepsMax } = scenario.pins.env.limits;
  let decided = false;
  let last: string | null = null;
  let begun = 0;
  return {
    name: 'one step at a time',
    event: ({ event, after, effects }) => {
      const { stepCount, messages } = after.react;
      if (planning !== 'stepwise') {
        return stepCount === 0 && messages.size === 0 ? null : 'a run with a whole plan counts single steps';
      }
      if (event.type === 'plan_proposed') decided = true;
      for (const effect of effects) {
        if (effect.kind !== 'call_tool' || takenBackBy(after, effect.call) !== null) continue;
        const { step_id } = effect.call;
        if (!decided && step_id !== last) return `${step_id} was begun, and nobody has decided on it`;
        if (decided) begun += 1;
        [decided, last] = [false, step_id];
      }
      // The limit is checked after a step, so the step that exceeds it is still executed.
      return begun > reactStepsMax + 1 ? `${begun} steps were begun, and ${reactStepsMax} are the bound` : null;
    },
  };
}
