/** Tests clarification requests: the question of a model reaches the user, and the answer reaches the model. */
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { proposed, turns } from '../endings/turns.ts';
import { kernelOf, pathOf } from '../graphs/kernel.ts';
import { openQuestion, planOf, REQUEST, type Rig, type RigOptions, rig } from '../rig.ts';

const QUESTION = { kind: 'clarification_request', question: 'Which order is it?', fields: ['order_id'] };
const PLAN = planOf([{ id: 'a', tool: 'finish', params: { order: 'ord_1' } }]);
const OPTIONS: RigOptions = { tools: { finish: { produces: ['done'] } }, plans: [QUESTION, PLAN] };
const ANSWERS = { order_id: 'ord_1' };

const answer = async (bench: Rig, id = 'question_1', answers: Record<string, string> = ANSWERS) => {
  const { packetHash } = openQuestion(await bench.runtime.sessions.get('run_1'));
  return await bench.settle(bench.runtime.sessions.answer('run_1', { questionId: id, packetHash }, answers, 'user_1'));
};

describe('a planner that answers with a question', () => {
  verifies(
    ['escalate:missing-input:specific-question', 'terminate:missing-info:suspend-and-name-field'],
    'receives the answer of the user, and the same run continues to its end',
    async () => {
      const bench = rig(OPTIONS);
      const waiting = await bench.invoke();
      expect(waiting).toMatchObject({
        status: 'paused',
        authority: 'user',
        question: { fields: ['order_id'], readings: ['Which order is it?'] },
        suspended: { code: 'MISSING_INFO', detail: { fields: ['order_id'] } },
      });
      expect(bench.dispatches).toEqual([]);
      await expect(answer(bench, 'question_1', { other: 'x' })).rejects.toMatchObject({ code: 'input_missing' });
      expect(await answer(bench)).toMatchObject({ runId: waiting.runId, terminalCode: 'SUCCESS' });
      expect(bench.planner.requests[1]).toMatchObject({ inputs: ANSWERS, reason: { code: 'question_answered' } });
      expect((await bench.runtime.records.replay('run_1')).state.ending.terminal?.code).toBe('SUCCESS');
    },
  );

  test('waits on the plan node and continues with plan validation', async () => {
    const bench = rig(OPTIONS);
    await bench.invoke();
    expect(pathOf(kernelOf(OPTIONS), await bench.events('run_1')).at(-1)).toBe('plan');
    const { packetHash: packet_hash } = openQuestion(await bench.runtime.sessions.get('run_1'));
    const answerEvent = {
      type: 'question_answered',
      question_id: 'question_1',
      packet_hash,
      answers: ANSWERS,
      by: 'user_1',
    };
    const rescoping = bench.runtime.sessions.send('run_1', { ...answerEvent, changes_scope: true });
    await expect(rescoping).rejects.toMatchObject({ code: 'event_illegal' });
    expect(await answer(bench)).toMatchObject({ terminalCode: 'SUCCESS' });
    const path = pathOf(kernelOf(OPTIONS), await bench.events('run_1'));
    expect(path.slice(path.indexOf('plan'))).toEqual(expect.arrayContaining(['plan_validation', 'finalize']));
    expect(path).not.toContain('ask_user');
  });

  test('ends the run with MISSING_INFO and the missing fields if the graph cannot ask the user', async () => {
    const bench = rig({ ...OPTIONS, options: { graph: 'prompt_chain' } });
    const outcome = await bench.invoke();
    expect(outcome).toMatchObject({ terminalCode: 'MISSING_INFO', reason: 'nobody_to_ask', question: null });
    const end = (await bench.events('run_1')).at(-1);
    expect(end).toMatchObject({ type: 'run_terminated', detail: { fields: ['order_id'] } });
  });

  test('does not use up a planning attempt', async () => {
    const bench = rig(OPTIONS);
    await bench.invoke();
    await answer(bench);
    expect(bench.planner.requests.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  test('pauses the run for a person after three questions', async () => {
    const bench = rig({ ...OPTIONS, plans: [QUESTION, QUESTION, QUESTION, QUESTION] });
    await bench.invoke();
    await answer(bench, 'question_1');
    await answer(bench, 'question_2');
    const outcome = await answer(bench, 'question_3');
    expect(outcome).toMatchObject({ status: 'paused', suspended: { reason: 'asked_too_often' } });
    expect(bench.planner.requests).toHaveLength(4);
  });

  test('must plan again if its boundary gives it no right to ask, and the violation is recorded', async () => {
    const bench = rig({
      ...OPTIONS,
      agent: (agent) => ({ ...agent, boundary: { ...agent.boundary, decision_rights: ['plan'] } }),
    });
    expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS', question: null });
    const noted = { type: 'violation_noted', violation: 'proposal', subject: 'clarification_request' };
    expect(await bench.events('run_1')).toContainEqual(expect.objectContaining(noted));
    expect(bench.planner.requests[1]?.reason).toMatchObject({ code: 'plan_untyped' });
  });

  test.each([
    { ...QUESTION, question: ' ' },
    { ...QUESTION, fields: ['order id'] },
    { ...QUESTION, fields: ['__proto__'] },
    { ...QUESTION, fields: 'order_id' },
    { ...QUESTION, steps: [] },
  ])('must plan again if the question is malformed: %j', async (malformed) => {
    const bench = rig({ ...OPTIONS, plans: [malformed, PLAN] });
    expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
    expect((await bench.events('run_1')).map(({ type }) => type)).not.toContain('question_asked');
  });

  test('asks only after an operator has resumed a run that was paused meanwhile', () => {
    const run = turns(OPTIONS);
    run.say({ type: 'run_paused', cause: 'operator', by: 'ops_1' });
    run.say(proposed(QUESTION as never));
    expect(run.state.session.pause).toMatchObject({ cause: 'operator', by: 'ops_1' });
    expect(run.state.people.question).toBeNull();
    run.say({ type: 'run_resumed', by: 'ops_1', operator: true });
    expect(run.outbox).toMatchObject([{ kind: 'ask_user', fields: ['order_id'] }]);
    expect(run.state.people).toMatchObject({ wanted: null, question: { fields: ['order_id'] } });
  });
});

describe('a clarification request outside the planning answer', () => {
  const STEPS: RigOptions = {
    tools: { read: {}, finish: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 'r', tool: 'read' },
        { id: 'a', tool: 'finish', depends_on: ['r'] },
      ]),
      planOf([{ id: 'b', tool: 'finish', params: { order: 'ord_1' } }], { plan_id: 'plan_2' }),
    ],
  };
  const clarification = (payload: unknown) => ({ type: 'proposal_made', kind: 'clarification_request', payload });

  test('made during a tool call, reaches the user before the next step', async () => {
    const reached = Promise.withResolvers<void>();
    const observed = Promise.withResolvers<{ ok: true }>();
    const execute = () => {
      reached.resolve();
      return observed.promise;
    };
    const bench = rig({ ...STEPS, tools: { ...STEPS.tools, read: { execute } } });
    const resting = bench.runtime.invoke(REQUEST);
    await reached.promise;
    const { question, fields } = QUESTION;
    const proposing = bench.runtime.sessions.send('run_1', clarification({ question, fields }));
    observed.resolve({ ok: true });
    await proposing;
    expect(await resting).toMatchObject({ status: 'paused', question: { fields, readings: [question] } });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['read']);
    expect(await answer(bench)).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['read', 'finish']);
    expect((await bench.runtime.records.replay('run_1')).state.work.version).toBe(2);
  });

  test.each([
    [['order_id'], ['order_id']],
    [[], ['clarification']],
    [['order id'], ['clarification']],
    ['which?', ['clarification']],
    [null, ['clarification']],
    [{ fields: ['order_id'] }, ['clarification']],
  ])('made during planning, reaches the user before the plan: %j asks for %j', (payload, fields) => {
    const run = turns(STEPS);
    run.say(clarification(payload) as never);
    expect(run.outbox).toEqual([]);
    run.say(proposed(STEPS.plans?.[0] as never));
    expect(run.outbox).toMatchObject([{ kind: 'ask_user', fields }]);
    run.say(clarification(['another']) as never);
    expect(run.state.people).toMatchObject({ wanted: null, question: { fields } });
  });
});

test.each([
  ['run id', [undefined, { questionId: 'question_1', packetHash: null }, ANSWERS, 'user_1'], '/runId: is missing'],
  ['question', ['run_1', undefined, ANSWERS, 'user_1'], '/question: is missing'],
  ['question that is only its id', ['run_1', 'question_1', ANSWERS, 'user_1'], '/question: Invalid input'],
  ['answer that is a text', ['run_1', { questionId: 'question_1', packetHash: null }, 'ord_1', 'user_1'], '/answers'],
  ['answer', ['run_1', { questionId: 'question_1', packetHash: null }], '/answers: is missing'],
  ['name', ['run_1', { questionId: 'question_1', packetHash: null }, ANSWERS], '/by: is missing'],
])('names the argument of sessions.answer that is wrong: %s', async (_, args, message) => {
  const bench = rig(OPTIONS);
  await bench.invoke();
  const answering = bench.runtime.sessions.answer(...(args as Parameters<typeof bench.runtime.sessions.answer>));
  await expect(answering).rejects.toMatchObject({
    code: 'input_invalid',
    message: expect.stringContaining(`sessions.answer${message}`),
  });
});
