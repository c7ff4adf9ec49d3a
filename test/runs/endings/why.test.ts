/** Whoever is handed the outcome of a run reads why it ended, without looking into the journal. */
import { expect, test } from 'vitest';
import { templatePlanner } from '../../../src/roles/template-planner.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { diesAt, nextLife } from '../executing/lives.ts';
import { benchWith, plan, said } from '../planning/bench.ts';
import { oneCall } from '../policy/bench.ts';
import { planOf, type RigOptions, rig, START_MS } from '../rig.ts';

const FLOWN = [{ id: 'flown', statement: 'The parcel was flown in.', rank: 'primary', evidence: 'flight' }];
const GOAL = { goal: { statement: 'Fly it in', acceptance_criteria: FLOWN } };

test('a plan that the policies forbid: the sentence of the policy, with what the tool lacks', async () => {
  const { outcome } = await oneCall('customer_support', {});
  expect(outcome).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'plan_rejected' });
  expect(outcome.why).toEqual([expect.stringMatching(/^step a is forbidden: .*act does not say in rules\.action/)]);
});

test('a kill switch: who threw it, and why', async () => {
  const plans = [planOf([{ id: 'a', tool: 'walk' }])];
  const bench = rig({ tools: { walk: { produces: ['done'] } }, plans });
  await bench.runtime.killSwitches.throw({ scope: { tool: 'walk' }, by: 'ana', reason: 'it is icy' });
  const outcome = await bench.invoke();
  expect(outcome.why).toEqual([expect.stringMatching(/thrown by ana, it is icy/)]);
  expect(await bench.runtime.outcome(outcome.runId)).toEqual(outcome);
});

test.each([
  ['a scope', { tool_scopes: { fly: ['pilot', 'air'] } }, 'fly supplies it and takes the scope pilot and air'],
  ['a role', { role_authority: {} }, 'fly supplies it and is destructive; the roles of the identity reach no further'],
])('a capability that is missing for want of %s: the tool and what it takes', async (_what, access, said) => {
  const bench = rig({
    tools: { fly: { produces: ['flight'], approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'] } },
    agent: (agent) => ({ ...agent, access: { ...agent.access, ...access } }),
  });
  const outcome = await bench.invoke(GOAL);
  expect(outcome).toMatchObject({ terminalCode: 'IMPOSSIBLE', reason: 'capability_missing' });
  expect(outcome.why).toEqual([
    expect.stringContaining('no tool of this run supplies flight'),
    expect.stringContaining(said),
  ]);
});

test('a tool outside of the boundary is named as such', async () => {
  const bench = rig({
    tools: { fly: { produces: ['flight'] }, walk: {} },
    agent: ({ boundary, ...agent }) => {
      const tools = { ...boundary.tools, allowed: ['walk'] };
      return { ...agent, boundary: { ...boundary, tools } };
    },
  });
  expect((await bench.invoke(GOAL)).why).toContain('fly supplies it and is not allowed by the boundary');
});

test('what went well needs no words', async () => {
  const bench = rig({ tools: { walk: { produces: ['done'] } }, plans: [planOf([{ id: 'a', tool: 'walk' }])] });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS', why: [] });
});

test('a process that starts finds the runs that its predecessor left, and drives them on', async () => {
  const options = { tools: { walk: { produces: ['done'] } }, plans: [planOf([{ id: 'a', tool: 'walk' }])] };
  const next = nextLife(await diesAt('walk', options), options);
  const [left, ...more] = await next.runtime.sessions({ statuses: ['in_progress'] });
  expect(more).toEqual([]);
  expect(left).toMatchObject({ tenantId: 'tenant_a', agent: 'worker', status: 'in_progress', terminalCode: null });
  await next.runtime.resume(left?.runId ?? '');
  expect(await next.runtime.sessions({ statuses: ['in_progress'] })).toEqual([]);
  expect(await next.runtime.sessions()).toMatchObject([
    { runId: left?.runId, status: 'completed', startedAt: START_MS },
  ]);
  await expect(next.runtime.sessions({ statuses: ['running'] } as never)).rejects.toThrow(/statuses/);
});

test('a plan that is longer than its graph: how long it is, and which graph', async () => {
  const steps = ['a', 'b'].map((id) => ({ id, tool: 'walk' }));
  const planner = templatePlanner({ work: planOf(steps) });
  const options = { graph: 'direct_response', planner } as RigOptions['options'] & object;
  const outcome = await rig({ tools: { walk: { produces: ['done'] } }, options }).invoke();
  expect(outcome.reason).toBe('plan_too_large');
  expect(outcome.why).toEqual(['the graph direct_response takes fewer steps than the 2 of this plan']);
});

const WALK = { tools: { walk: { produces: ['done'] } } };

test('a model that never gets to its end: that it was cut off, by what, and how it began', async () => {
  const cut = scriptedModel(Array(9).fill('{"steps":['), { finish: 'length' });
  expect((await benchWith(cut, WALK).invoke()).why).toEqual([
    'the planner returned text and no plan: "(cut off by outputTokensMax, 4096) {\\"steps\\":["',
  ]);
});

test('a provider that took too much: of what', async () => {
  const usage = { input_tokens: 1_000_000, output_tokens: 5_000_000 };
  const greedy = scriptedModel([plan(said('s1', 'walk'))], { usage });
  const outcome = await benchWith(greedy, WALK).invoke();
  expect(outcome.reason).toBe('provider_overrun');
  expect(outcome.why).toEqual([expect.stringMatching(/^a provider took more \w+_tokens than the run may spend$/)]);
});

test('a run that goes in circles: what went round, and what for', async () => {
  const broken = { execute: () => Promise.reject(new Error('the bridge is closed')), retries_max: 0 };
  const planner = templatePlanner({ work: planOf([{ id: 'a', tool: 'walk' }]) });
  const options = { planner } as RigOptions['options'] & object;
  const outcome = await rig({ tools: { walk: { ...broken, produces: ['done'] } }, options }).invoke();
  expect(outcome.reason).toBe('loop_detected');
  expect(outcome.why).toEqual([
    'going in circles: no_progress, for the 2. time where 1 may be',
    expect.stringContaining('the bridge is closed'),
  ]);
});
