/** The Critic judges a step by what the policies ruled about it, as recorded, and not by somebody's word. */
import { expect, test } from 'vitest';
import { stepFacts } from '../../../src/kernel/cases.ts';
import { answered, proposed, turns } from '../endings/turns.ts';
import { partsOf } from '../graphs/kernel.ts';
import { planOf } from '../rig.ts';
import { cedar, PERMIT_ALL } from './bench.ts';

const OPTIONS = { tools: { work: { produces: ['done'] } }, world: { policy: { calls: cedar(PERMIT_ALL) } } };

test('what was ruled when the call was cleared is what the step is judged by', () => {
  const seen: unknown[] = [];
  const run = turns({
    ...OPTIONS,
    change: ({ env, critic }) => ({
      critic: {
        ...critic,
        judgeStep: (facts) => {
          seen.push(facts.support.policy);
          return critic.judgeStep({
            ...facts,
            support: { ...facts.support, policy: { permitted: false, reason: 'forbidden by p1' } },
          });
        },
      },
      env,
    }),
  });
  run.say(proposed(planOf([{ id: 'a', tool: 'work' }])));
  expect(run.state.current?.policy).toMatchObject({ effect: 'permit', determining: ['all'] });
  run.say(answered(run));
  expect(seen).toEqual([{ permitted: true, reason: expect.any(String) }]);
  expect(run.state.people.escalation?.stop).toMatchObject({ code: 'VALIDATION_FAIL', reason: 'below_floor' });
});

test('a call that policies forbid is not permitted by having been made', () => {
  const run = turns(OPTIONS);
  run.say(proposed(planOf([{ id: 'a', tool: 'work' }])));
  const { state } = run;
  const { current } = state;
  if (current?.policy === undefined) throw new Error('no ruling was kept');
  const observed = {
    outcome: 'ok',
    raw: {},
    detail: '',
    spent: { input_tokens: 0, output_tokens: 0, microusd: 0 },
    confirmed: 'all',
  } as const;
  const forbidden = {
    ...current,
    observed,
    policy: { ...current.policy, effect: 'forbid' as const, determining: ['p1'] },
  };
  const { env } = partsOf(OPTIONS).pins;
  expect(stepFacts(env, { ...state, current: forbidden }, 'a').support.policy).toMatchObject({ permitted: false });
});
