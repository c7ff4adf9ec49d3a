/** A message to a thread whose run is open: it answers a question, and nothing else. */
import { expect, test } from 'vitest';
import { Fault } from '../../src/index.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { PlanStep } from '../../src/model/plan/plan.ts';
import { MODE, mailbox } from '../runs/provenance/bench.ts';
import { planOf, REQUEST, type Rig } from '../runs/rig.ts';

const NOTE: PlanStep = { id: 'n', tool: 'note' };
const PAY: PlanStep = { id: 'p', tool: 'pay', requires: MODE, params: { to: 'DE11' } };
const ASK = { goal: { statement: 'Note it', required_fields: ['order_id'] } };

const say = (bench: Rig, request: JsonObject, thread = 'th_1'): ReturnType<Rig['invoke']> =>
  bench.invoke({ thread, ...request });
const goalOf = (statement: string): JsonObject => ({ goal: { statement } });

const faultOf = async (promise: Promise<unknown>): Promise<Fault> => {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!Fault.is(error)) throw new Error('expected a fault');
  return error;
};
const as = (actor: string, tenant_id = 'tenant_a'): JsonObject => ({
  tenant_id,
  identity: { ...REQUEST.identity, actor, tenant_id },
});

test('the next message answers the open question, and the same run goes on', async () => {
  const bench = mailbox([planOf([NOTE]), planOf([NOTE])]);
  const asked = await say(bench, ASK);
  expect(asked).toMatchObject({ status: 'paused', question: { fields: ['order_id'] } });
  const run = bench.runtime.start({ ...REQUEST, ...goalOf('ord_881'), thread: 'th_1' } as never);
  const events: string[] = [];
  const reading = (async () => {
    for await (const { event } of run.events) events.push(event.type);
  })();
  const outcome = await bench.settle(run.settled);
  await bench.settle(reading);
  expect(outcome).toMatchObject({ runId: asked.runId, terminalCode: 'SUCCESS' });
  expect(await run.runId).toBe(asked.runId);
  expect(events[0]).toBe('question_answered');
  expect(events.at(-1)).toBe('run_terminated');
  expect(await bench.journal.threadSessions('tenant_a', 'th_1')).toHaveLength(1);
  await say(bench, goalOf('Note it again'));
  expect(bench.planner.requests.at(-1)?.context.items.map(({ value }) => (value as JsonObject)['text'])).toEqual([
    'Note it',
    'Please state: order_id.',
    'order_id: ord_881',
    outcome.text,
  ]);
});

test('a message never decides a gate: the fault says who does', async () => {
  const bench = mailbox([planOf([PAY])]);
  const waiting = await say(bench, goalOf('Pay DE11'));
  expect(waiting).toMatchObject({ status: 'awaiting_gate' });
  const fault = await faultOf(say(bench, goalOf('Yes, approve it')));
  expect(fault.code).toBe('thread_busy');
  expect(fault.message).toBe(
    `${waiting.runId} in thread th_1 waits at the gate GATE_MODE_APPROVAL; a message decides no gate: a person decides it with a credential and the hash of its packet`,
  );
  expect(await bench.runtime.sessions.get(waiting.runId)).toMatchObject({ pending: waiting.pending });
  expect(bench.dispatches).toEqual([]);
});

test('a message with inputs is no answer, and a run at work takes no message', async () => {
  const bench = mailbox([planOf([NOTE])]);
  const asked = await say(bench, ASK);
  const fault = await faultOf(say(bench, { ...goalOf('ord_881'), inputs: { order_id: 'ord_881' } }));
  expect(fault).toMatchObject({ code: 'thread_busy' });
  expect(fault.message).toContain('without inputs');
  const done = say(bench, goalOf('ord_881'));
  const busy = await faultOf(bench.runtime.invoke({ ...REQUEST, ...goalOf('And this?'), thread: 'th_1' } as never));
  expect(busy.code).toBe('thread_busy');
  expect(busy.message).toContain(asked.runId);
  expect(await done).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('a run that a person has to decide takes no message: the fault names the reason and the command', async () => {
  const broken = { note: { execute: () => Promise.reject(new Error('no ink')), retries_max: 0 } };
  const bench = mailbox([planOf([NOTE]), planOf([NOTE]), planOf([NOTE])], {}, { tools: broken });
  const paused = await say(bench, goalOf('Note it'));
  expect(paused).toMatchObject({ status: 'paused', question: null });
  const { message } = await faultOf(say(bench, goalOf('And now?')));
  expect(message).toBe(
    `${paused.runId} in thread th_1 waits for a decision (${paused.reason}); \`ambit sessions show ${paused.runId}\` and \`why\` of its outcome explain it; a person decides it with \`ambit sessions decide ${paused.runId}\`, or cancels it`,
  );
});

test('a question that expired is no question any more', async () => {
  const bench = mailbox([planOf([NOTE])]);
  const asked = await say(bench, ASK);
  bench.clock.advanceTo(bench.clock.nowMs() + 90_000_000);
  const next = await say(bench, goalOf('Note it'));
  expect(next).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(next.runId).not.toBe(asked.runId);
  expect(await bench.runtime.sessions.get(asked.runId)).toMatchObject({ terminalCode: 'MISSING_INFO' });
});

test('another user of the tenant neither continues a thread nor answers in it', async () => {
  const bench = mailbox([planOf([NOTE]), planOf([NOTE])]);
  await say(bench, ASK);
  expect(await faultOf(say(bench, { ...goalOf('ord_666'), ...as('eve') }))).toMatchObject({ code: 'thread_denied' });
  await say(bench, goalOf('ord_881'));
  expect(await faultOf(say(bench, { ...goalOf('Go on'), ...as('eve') }))).toMatchObject({ code: 'thread_denied' });
  expect(await bench.journal.list({})).toHaveLength(1);
});

test('a thread of another tenant is another thread', async () => {
  const bench = mailbox([planOf([NOTE]), planOf([NOTE])]);
  await say(bench, goalOf('Note that DE11 is mine'));
  expect(await say(bench, { ...goalOf('Note it'), ...as('agt_worker', 'tenant_b') })).toMatchObject({
    terminalCode: 'SUCCESS',
  });
  expect(bench.planner.requests.at(-1)?.context.items).toEqual([]);
});
