/** Tests plan-first mode: a model plans all steps at once, and the run carries out exactly these. */
import { expect, test } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';
import { of, plan, plannedStep, planningBench, verifiedPlans } from './bench.ts';

const ORDER = {
  input_schema: {
    type: 'object',
    properties: { order_id: { type: 'string' }, verbose: { type: 'boolean' } },
    required: ['order_id'],
    additionalProperties: false,
  },
  output_schema: {
    type: 'object',
    properties: { total: { type: 'integer' } },
    required: ['total'],
    additionalProperties: false,
  },
  execute: () => ({ total: 1200 }),
};
const TELL = {
  input_schema: {
    type: 'object',
    properties: { amount: { type: 'integer' } },
    required: ['amount'],
    additionalProperties: false,
  },
  produces: ['done'],
};
const TOOLS = { look_up: ORDER, tell: TELL };
const GOOD = plan(
  plannedStep('s1', 'look_up', { order_id: 'o1', verbose: null as never }),
  plannedStep('s2', 'tell', { amount: { $from: 's1', path: '/total' } }, { depends_on: ['s1'] }),
  plannedStep('s3', 'respond', { objective: 'say what it came to' }, { depends_on: ['s2'] }),
);

const stepsIn = (proposal: unknown): unknown => (proposal as { readonly steps?: unknown } | undefined)?.steps;

verifies('planfirst:mode:default', 'gets all steps from one planning call before the first one runs', async () => {
  const bench = planningBench([GOOD], { tools: TOOLS });
  const run = await bench.invoke();
  expect(run).toMatchObject({ status: 'completed', terminalCode: 'SUCCESS' });
  expect(bench.model.prompts).toHaveLength(1);
  const events = await bench.events(run.runId);
  expect(of(events, 'plan_proposed')).toHaveLength(1);
  expect(verifiedPlans(events).map((steps) => steps.map(({ tool }) => tool))).toEqual([['look_up', 'tell', 'respond']]);
  const first = events.findIndex(({ type }) => type === 'step_attempted');
  expect(events.findIndex(({ type }) => type === 'plan_verified')).toBeLessThan(first);
  expect(of(events, 'step_committed')).toHaveLength(3);
  // A null for an optional argument is dropped as filler, and a binding is resolved to its value.
  expect(bench.dispatches.map(({ tool, args }) => [tool, args])).toEqual([
    ['look_up', { order_id: 'o1' }],
    ['tell', { amount: 1200 }],
  ]);
  await bench.runtime.records.replay(run.runId);
});

verifies(
  'planfirst:mode:default',
  'plans all steps at once by default, and one at a time only if configured',
  async () => {
    const steps = planOf([
      { id: 'a', tool: 'look_up', params: { order_id: 'o1' } },
      { id: 'b', tool: 'tell', params: { amount: 1 } },
    ]);
    const usual = rig({ tools: TOOLS, plans: [steps] });
    expect((await usual.invoke()).terminalCode).toBe('SUCCESS');
    expect(usual.planner.requests.map(({ mode }) => mode)).toEqual(['whole']);
    const tell = planOf([{ id: 'b', tool: 'tell', params: { amount: 1 } }]);
    const react = rig({
      tools: TOOLS,
      plans: [steps, tell],
      options: { graph: 'reactive', limits: { planning: 'stepwise' } },
    });
    expect((await react.invoke()).terminalCode).toBe('SUCCESS');
    expect(react.planner.requests.map(({ mode }) => mode)).toEqual(['stepwise', 'stepwise']);
  },
);

test('records the model call with the plan and charges it', async () => {
  const bench = planningBench([GOOD], { tools: TOOLS });
  const run = await bench.invoke();
  const [proposed] = of(await bench.events(run.runId), 'plan_proposed');
  expect(proposed?.calls).toMatchObject([{ role: 'planner', template: 'plan_first@3', outcome: 'answered' }]);
  expect(proposed?.spent).toMatchObject({ input_tokens: 100, output_tokens: 50 });
  expect(proposed).toMatchObject({ author: 'model', context_tokens: 100 });
});

verifies('planfirst:plan:append-respond', 'appends a respond step to a plan that ends without one', async () => {
  const bench = planningBench([plan(plannedStep('respond', 'tell', { amount: 1 }))], { tools: { tell: TELL } });
  const run = await bench.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  const [steps] = verifiedPlans(await bench.events(run.runId));
  expect(steps).toMatchObject([
    { id: 'respond', tool: 'tell' },
    { id: 'respond_2', tool: 'respond', task_objective: 'Do the work', params: { objective: 'Do the work' } },
  ]);
});

verifies(
  'planfirst:plan:append-respond',
  'appends nothing to a plan that ends with respond or clarify, in any letter case',
  async () => {
    for (const ending of ['Respond', 'RESPOND', 'respond']) {
      const steps = [plannedStep('s1', 'tell', { amount: 1 }), plannedStep('s2', ending, { objective: 'tell' })];
      const bench = planningBench([plan(...steps)], { tools: { tell: TELL } });
      const run = await bench.invoke();
      expect(run.terminalCode).toBe('SUCCESS');
      const events = await bench.events(run.runId);
      const [proposed] = of(events, 'plan_proposed');
      expect(proposed?.proposal).toMatchObject({ steps: [{ tool: 'tell' }, { tool: ending }] });
      expect(stepsIn(proposed?.proposal)).toHaveLength(2);
      // The verified plan contains the canonical tool name.
      expect(verifiedPlans(events)[0]?.map(({ tool }) => tool)).toEqual(['tell', 'respond']);
    }
    const asking = planningBench([plan(plannedStep('s1', 'CLARIFY', { question: 'Which?', fields: ['which'] }))], {
      tools: { tell: TELL },
    });
    const run = await asking.invoke();
    const [proposed] = of(await asking.events(run.runId), 'plan_proposed');
    expect(stepsIn(proposed?.proposal)).toHaveLength(1);
    expect(run).toMatchObject({ status: 'paused', question: { fields: ['which'], readings: ['Which?'] } });
  },
);

verifies('planfirst:plan:empty-gets-respond', 'replaces an empty plan with one respond step for the task', async () => {
  const done = plan(plannedStep('s1', 'tell', { amount: 1 }));
  const bench = planningBench([plan(), done], { tools: { tell: TELL } });
  const run = await bench.invoke();
  const [empty] = verifiedPlans(await bench.events(run.runId));
  expect(empty).toEqual([
    { id: 'respond', tool: 'respond', task_objective: 'Do the work', params: { objective: 'Do the work' } },
  ]);
  // The respond step alone did not meet the goal, so the run planned again.
  expect(run.terminalCode).toBe('SUCCESS');
});

test.each([
  [undefined, 3],
  [1, 2],
  [0, 1],
])(
  'returns a malformed plan to the model %s times (undefined: the default of two), then to the kernel',
  async (repairs, requests) => {
    const wrong = plan(plannedStep('s1', 'tell', { amount: 'much' }));
    const options = { tools: { tell: TELL }, planFirst: repairs === undefined ? {} : { repairs } };
    const bench = planningBench(
      [...Array.from({ length: requests }, () => wrong), plan(plannedStep('s1', 'tell', { amount: 1 }))],
      options,
    );
    const run = await bench.invoke();
    expect(run.terminalCode).toBe('SUCCESS');
    const events = await bench.events(run.runId);
    expect(of(events, 'plan_proposed').map(({ calls = [] }) => calls.length)).toEqual([requests, 1]);
    expect(of(events, 'plan_verified').map(({ verdict }) => verdict)).toEqual(['replan', 'ok']);
  },
);

test('a new plan may depend on committed steps, but on no other step outside it', async () => {
  const failing = { ...ORDER, execute: () => Promise.reject(new Error('no')), retries_max: 0 };
  const first = plan(
    plannedStep('s1', 'look_up', { order_id: 'o1' }),
    plannedStep('s2', 'check', { order_id: 'o1' }, { depends_on: ['s1'] }),
  );
  const waiting = (id: string): object =>
    plan(plannedStep('s3', 'tell', { amount: { $from: 's1', path: '/total' } }, { depends_on: ['s1', id] }));
  const bench = planningBench([first, waiting('s9'), waiting('s1')], { tools: { ...TOOLS, check: failing } });
  const run = await bench.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  expect(bench.dispatches.at(-1)).toMatchObject({ tool: 'tell', args: { amount: 1200 } });
  const [, , third] = bench.model.prompts;
  expect(third?.messages.at(-1)?.text).toContain('depends on s9, which is not in the plan');
  expect(third?.messages.at(-1)?.text).not.toContain('depends on s1');
});

test('a plan that ends with clarify asks the user and is planned again with the answer', async () => {
  const bench = planningBench(
    [
      plan(
        plannedStep('s1', 'look_up', { order_id: 'o1' }),
        plannedStep('s2', 'clarify', { question: 'How much?', fields: ['amount'] }),
      ),
      plan(plannedStep('s3', 'tell', { amount: 5 })),
    ],
    { tools: TOOLS },
  );
  const run = await bench.invoke();
  expect(run).toMatchObject({ status: 'paused', question: { fields: ['amount'], readings: ['How much?'] } });
  const question = run.question;
  if (question === null) throw new Error('there is no open question');
  const answered = await bench.settle(bench.runtime.sessions.answer(run.runId, question, { amount: 5 }, 'agt_worker'));
  expect(answered.terminalCode).toBe('SUCCESS');
  expect(bench.model.prompts).toHaveLength(2);
  expect(bench.model.prompts[1]?.messages[0]?.text).toContain('{"amount":5}');
  await bench.runtime.records.replay(run.runId);
});

test('returns a clarify step in the middle of a plan and a prose answer to the model for repair', async () => {
  const middle = plan(
    plannedStep('s1', 'clarify', { question: 'How much?', fields: ['amount'] }),
    plannedStep('s2', 'tell', { amount: 1 }),
  );
  const bench = planningBench([middle, 'I would rather not.', plan(plannedStep('s1', 'tell', { amount: 1 }))], {
    tools: TOOLS,
  });
  const run = await bench.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  const [, second, third] = bench.model.prompts;
  expect(second?.messages.map(({ author }) => author)).toEqual(['user', 'assistant', 'user']);
  expect(second?.messages[2]?.text).toContain('end the plan with it');
  expect(third?.messages).toHaveLength(5);
  // All repairs belong to one planning attempt, and each request is recorded.
  const events = await bench.events(run.runId);
  expect(of(events, 'plan_proposed')).toHaveLength(1);
  expect(of(events, 'plan_proposed')[0]?.calls).toHaveLength(3);
});

test('reports a plan with a forbidden tool to the kernel instead of repairing it', async () => {
  const bench = planningBench([plan(plannedStep('s1', 'wipe')), plan(plannedStep('s1', 'tell', { amount: 1 }))], {
    tools: { ...TOOLS, wipe: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_WIPE'] } },
    agent: (agent) => ({
      ...agent,
      boundary: { ...agent.boundary, tools: { ...agent.boundary.tools, allowed: ['look_up', 'tell'] } },
    }),
  });
  const run = await bench.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  const verdicts = of(await bench.events(run.runId), 'plan_verified').map(({ verdict, problems }) => [
    verdict,
    problems[0]?.code,
  ]);
  expect(verdicts[0]).toEqual(['replan', 'tool_not_allowed']);
});
