/** The critic judges a step by the recorded policy decision. */
import { expect, test } from 'vitest';
import { buildStepCase } from '../../../src/kernel/query/critic-input/cases.ts';
import { answered, proposed, turns } from '../endings/turns.ts';
import { partsOf } from '../graphs/kernel.ts';
import { planOf } from '../rig.ts';
import { cedar, PERMIT_ALL } from './bench.ts';

const OPTIONS = { tools: { work: { produces: ['done'] } }, world: { policy: { calls: cedar(PERMIT_ALL) } } };

test('judges a step by the decision at clearance', () => {
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

test('a forbidden call stays forbidden after it was made', () => {
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
  expect(buildStepCase(env, { ...state, current: forbidden }, 'a').support.policy).toMatchObject({ permitted: false });
});
