/** Tests that the outcome of a run explains why it ended. */
import { expect, test } from 'vitest';
import { templatePlanner } from '../../../src/roles/template-planner.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { crashDuringCall, restartProcess } from '../executing/crashed-process.ts';
import { benchWith, plan, plannedStep } from '../planning/bench.ts';
import { invokeOneCall } from '../policy/bench.ts';
import { planOf, type RigOptions, rig, START_MS } from '../rig.ts';

const FLOWN = [{ id: 'flown', statement: 'The parcel was flown in.', rank: 'primary', evidence: 'flight' }];
const GOAL = { goal: { statement: 'Fly it in', acceptance_criteria: FLOWN } };

test('quotes the policy that forbids a plan, with what the tool lacks', async () => {
  const { outcome } = await invokeOneCall('customer_support', {});
  expect(outcome).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'plan_rejected' });
  expect(outcome.why).toEqual([expect.stringMatching(/^step a is forbidden: .*act does not say in rules\.action/)]);
});

test('names who threw a kill switch and why', async () => {
  const plans = [planOf([{ id: 'a', tool: 'walk' }])];
  const bench = rig({ tools: { walk: { produces: ['done'] } }, plans });
  await bench.runtime.killSwitches.throw({ scope: { tool: 'walk' }, by: 'ana', reason: 'it is icy' });
  const outcome = await bench.invoke();
  expect(outcome.why).toEqual([expect.stringMatching(/thrown by ana, it is icy/)]);
  expect(await bench.runtime.sessions.get(outcome.runId)).toEqual(outcome);
});

test.each([
  ['a scope', { tool_scopes: { fly: ['pilot', 'air'] } }, 'fly produces it but needs the scope pilot and air'],
  [
    'a role',
    { role_authority: { captain: 'destructive' as const } },
    'give a role destructive in settings.roles of the agent, and that role to the user in user.roles',
  ],
])('for a capability that lacks %s, names the tool and what it requires', async (_what, access, reason) => {
  const bench = rig({
    tools: { fly: { produces: ['flight'], approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'] } },
    agent: (agent) => ({ ...agent, access: { ...agent.access, ...access } }),
  });
  const outcome = await bench.invoke(GOAL);
  expect(outcome).toMatchObject({ terminalCode: 'IMPOSSIBLE', reason: 'capability_missing' });
  expect(outcome.why).toEqual([
    expect.stringContaining('no tool of this run supplies flight'),
    expect.stringContaining(reason),
  ]);
});

test('names a tool outside the boundary', async () => {
  const bench = rig({
    tools: { fly: { produces: ['flight'] }, walk: {} },
    agent: ({ boundary, ...agent }) => {
      const tools = { ...boundary.tools, allowed: ['walk'] };
      return { ...agent, boundary: { ...boundary, tools } };
    },
  });
  expect((await bench.invoke(GOAL)).why).toContain(
    'fly produces it but is not in the boundary: add it to tools.allowed of the boundary',
  );
});

test('explains a goal that cannot be read', async () => {
  const outcome = await rig({ tools: { walk: {} } }).invoke({ goal: { statement: '?!?' } });
  expect(outcome).toMatchObject({ terminalCode: 'MISSING_INFO', reason: 'goal_unparseable' });
  expect(outcome.why).toEqual(['the goal contains no letters or digits: describe the task in words']);
});

test('gives no reasons for a success', async () => {
  const bench = rig({ tools: { walk: { produces: ['done'] } }, plans: [planOf([{ id: 'a', tool: 'walk' }])] });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS', why: [] });
});

test('a new process finds the unfinished runs of its predecessor and resumes them', async () => {
  const options = { tools: { walk: { produces: ['done'] } }, plans: [planOf([{ id: 'a', tool: 'walk' }])] };
  const next = restartProcess(await crashDuringCall('walk', options), options);
  const [left, ...more] = await next.runtime.sessions.list({ statuses: ['in_progress'] });
  expect(more).toEqual([]);
  expect(left).toMatchObject({ tenantId: 'tenant_a', agent: 'worker', status: 'in_progress', terminalCode: null });
  await next.runtime.resume(left?.runId ?? '');
  expect(await next.runtime.sessions.list({ statuses: ['in_progress'] })).toEqual([]);
  expect(await next.runtime.sessions.list()).toMatchObject([
    { runId: left?.runId, status: 'completed', startedAt: START_MS },
  ]);
  await expect(next.runtime.sessions.list({ statuses: ['running'] } as never)).rejects.toThrow(/statuses/);
});

test('names the length of a plan that is too long for its graph, and the graph', async () => {
  const steps = ['a', 'b'].map((id) => ({ id, tool: 'walk' }));
  const planner = templatePlanner({ work: planOf(steps) });
  const options = { graph: 'direct_response', planner } as RigOptions['options'] & object;
  const outcome = await rig({ tools: { walk: { produces: ['done'] } }, options }).invoke();
  expect(outcome.reason).toBe('plan_too_large');
  expect(outcome.why).toEqual(['this plan has 2 steps, more than the graph direct_response allows']);
});

const WALK = { tools: { walk: { produces: ['done'] } } };

test('quotes the beginning of a truncated model answer and names the limit', async () => {
  const cut = scriptedModel(Array(9).fill('{"steps":['), { finish: 'length' });
  expect((await benchWith(cut, WALK).invoke()).why).toEqual([
    'the planner returned text and no plan: "(cut off by outputTokensMax, 8192) {\\"steps\\":["',
  ]);
});

test('names the budget that a provider overran', async () => {
  const usage = { input_tokens: 1_000_000, output_tokens: 5_000_000 };
  const greedy = scriptedModel([plan(plannedStep('s1', 'walk'))], { usage });
  const outcome = await benchWith(greedy, WALK).invoke();
  expect(outcome.reason).toBe('provider_overrun');
  expect(outcome.why).toEqual([
    expect.stringMatching(/^a provider used more \w+_tokens than the budget of the run allows$/),
  ]);
});

test('names the kind of a loop and the error behind it', async () => {
  const broken = { execute: () => Promise.reject(new Error('the bridge is closed')), retries_max: 0 };
  const planner = templatePlanner({ work: planOf([{ id: 'a', tool: 'walk' }]) });
  const options = { planner } as RigOptions['options'] & object;
  const outcome = await rig({ tools: { walk: { ...broken, produces: ['done'] } }, options }).invoke();
  expect(outcome.reason).toBe('loop_detected');
  expect(outcome.why).toEqual([
    'the run repeats itself: no_progress occurred 2 times; the limit is 1',
    expect.stringContaining('the bridge is closed'),
  ]);
});
