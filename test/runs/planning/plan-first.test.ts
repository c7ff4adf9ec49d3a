/** A model lays out the whole work at once, and a run does exactly that. */
import { expect, test } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';
import { of, plan, planningBench, said, verifiedPlans } from './bench.ts';

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
  said('s1', 'look_up', { order_id: 'o1', verbose: null as never }),
  said('s2', 'tell', { amount: { $from: 's1', path: '/total' } }, { depends_on: ['s1'] }),
  said('s3', 'respond', { objective: 'say what it came to' }, { depends_on: ['s2'] }),
);

const stepsIn = (proposal: unknown): unknown => (proposal as { readonly steps?: unknown } | undefined)?.steps;

verifies('planfirst:mode:default', 'one planning call yields all steps before the first of them runs', async () => {
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
  // Null for what may be left out was a filler, and a binding is what it was bound to.
  expect(bench.dispatches.map(({ tool, args }) => [tool, args])).toEqual([
    ['look_up', { order_id: 'o1' }],
    ['tell', { amount: 1200 }],
  ]);
  await bench.runtime.replay(run.runId);
});

verifies('planfirst:mode:default', 'only who asks for it decides one step at a time', async () => {
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
});

test('what a model was asked is on record with its plan, and charged', async () => {
  const bench = planningBench([GOOD], { tools: TOOLS });
  const run = await bench.invoke();
  const [proposed] = of(await bench.events(run.runId), 'plan_proposed');
  expect(proposed?.calls).toMatchObject([{ role: 'planner', template: 'plan_first@1', outcome: 'answered' }]);
  expect(proposed?.spent).toMatchObject({ input_tokens: 100, output_tokens: 50 });
  expect(proposed).toMatchObject({ author: 'model', context_tokens: 100 });
});

verifies('planfirst:plan:append-respond', 'a plan that tells nobody gets a step that does', async () => {
  const bench = planningBench([plan(said('respond', 'tell', { amount: 1 }))], { tools: { tell: TELL } });
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
  'one that ends by telling or asking, in any letter case, is left alone',
  async () => {
    for (const ending of ['Respond', 'RESPOND', 'respond']) {
      const steps = [said('s1', 'tell', { amount: 1 }), said('s2', ending, { objective: 'tell' })];
      const bench = planningBench([plan(...steps)], { tools: { tell: TELL } });
      const run = await bench.invoke();
      expect(run.terminalCode).toBe('SUCCESS');
      const events = await bench.events(run.runId);
      const [proposed] = of(events, 'plan_proposed');
      expect(proposed?.proposal).toMatchObject({ steps: [{ tool: 'tell' }, { tool: ending }] });
      expect(stepsIn(proposed?.proposal)).toHaveLength(2);
      // It is carried out under its one name.
      expect(verifiedPlans(events)[0]?.map(({ tool }) => tool)).toEqual(['tell', 'respond']);
    }
    const asking = planningBench([plan(said('s1', 'CLARIFY', { question: 'Which?', fields: ['which'] }))], {
      tools: { tell: TELL },
    });
    const run = await asking.invoke();
    const [proposed] = of(await asking.events(run.runId), 'plan_proposed');
    expect(stepsIn(proposed?.proposal)).toHaveLength(1);
    expect(run).toMatchObject({ status: 'paused', question: { fields: ['which'], readings: ['Which?'] } });
  },
);

verifies('planfirst:plan:empty-gets-respond', 'no steps become one that answers for the task', async () => {
  const done = plan(said('s1', 'tell', { amount: 1 }));
  const bench = planningBench([plan(), done], { tools: { tell: TELL } });
  const run = await bench.invoke();
  const [empty] = verifiedPlans(await bench.events(run.runId));
  expect(empty).toEqual([
    { id: 'respond', tool: 'respond', task_objective: 'Do the work', params: { objective: 'Do the work' } },
  ]);
  // It told the truth, which was not enough: what the goal needs was planned then.
  expect(run.terminalCode).toBe('SUCCESS');
});

test.each([
  [undefined, 3],
  [1, 2],
  [0, 1],
])('an answer that is only written wrong is given back %s times, and then passed on', async (repairs, requests) => {
  const wrong = plan(said('s1', 'tell', { amount: 'much' }));
  const options = { tools: { tell: TELL }, planFirst: repairs === undefined ? {} : { repairs } };
  const bench = planningBench(
    [...Array.from({ length: requests }, () => wrong), plan(said('s1', 'tell', { amount: 1 }))],
    options,
  );
  const run = await bench.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  const events = await bench.events(run.runId);
  expect(of(events, 'plan_proposed').map(({ calls = [] }) => calls.length)).toEqual([requests, 1]);
  expect(of(events, 'plan_verified').map(({ verdict }) => verdict)).toEqual(['replan', 'ok']);
});

test('a new plan may say that it waits for what is done already, and for nothing else that is not in it', async () => {
  const failing = { ...ORDER, execute: () => Promise.reject(new Error('no')), retries_max: 0 };
  const first = plan(
    said('s1', 'look_up', { order_id: 'o1' }),
    said('s2', 'check', { order_id: 'o1' }, { depends_on: ['s1'] }),
  );
  const waiting = (id: string): object =>
    plan(said('s3', 'tell', { amount: { $from: 's1', path: '/total' } }, { depends_on: ['s1', id] }));
  const bench = planningBench([first, waiting('s9'), waiting('s1')], { tools: { ...TOOLS, check: failing } });
  const run = await bench.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  expect(bench.dispatches.at(-1)).toMatchObject({ tool: 'tell', args: { amount: 1200 } });
  const [, , told] = bench.model.prompts;
  expect(told?.messages.at(-1)?.text).toContain('depends on s9, which is not in the plan');
  expect(told?.messages.at(-1)?.text).not.toContain('depends on s1');
});

test('a plan that ends in a question asks the user, and is made anew with the answer', async () => {
  const bench = planningBench(
    [
      plan(
        said('s1', 'look_up', { order_id: 'o1' }),
        said('s2', 'clarify', { question: 'How much?', fields: ['amount'] }),
      ),
      plan(said('s3', 'tell', { amount: 5 })),
    ],
    { tools: TOOLS },
  );
  const run = await bench.invoke();
  expect(run).toMatchObject({ status: 'paused', question: { fields: ['amount'], readings: ['How much?'] } });
  const question = run.question;
  if (question === null) throw new Error('nothing is asked');
  const answered = await bench.settle(bench.runtime.answer(run.runId, question, { amount: 5 }, 'agt_worker'));
  expect(answered.terminalCode).toBe('SUCCESS');
  expect(bench.model.prompts).toHaveLength(2);
  expect(bench.model.prompts[1]?.messages[0]?.text).toContain('{"amount":5}');
  await bench.runtime.replay(run.runId);
});

test('a question in the middle of a plan is given back, and so is whatever else is only written wrong', async () => {
  const middle = plan(
    said('s1', 'clarify', { question: 'How much?', fields: ['amount'] }),
    said('s2', 'tell', { amount: 1 }),
  );
  const bench = planningBench([middle, 'I would rather not.', plan(said('s1', 'tell', { amount: 1 }))], {
    tools: TOOLS,
  });
  const run = await bench.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  const [, second, third] = bench.model.prompts;
  expect(second?.messages.map(({ author }) => author)).toEqual(['user', 'assistant', 'user']);
  expect(second?.messages[2]?.text).toContain('end the plan with it');
  expect(third?.messages).toHaveLength(5);
  // All of that was one plan: none of it used up an attempt, and each request is on record.
  const events = await bench.events(run.runId);
  expect(of(events, 'plan_proposed')).toHaveLength(1);
  expect(of(events, 'plan_proposed')[0]?.calls).toHaveLength(3);
});

test('what reaches for more than it may is not mended in private: the kernel hears of it', async () => {
  const bench = planningBench([plan(said('s1', 'wipe')), plan(said('s1', 'tell', { amount: 1 }))], {
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
