/**
 * A user's answer counts as part of the request only if the requester gave it, and only for the fields that were asked
 * for.
 */
import { describe, expect, test } from 'vitest';
import { templatePlanner } from '../../../src/roles/template-planner.ts';
import { eventsOf } from '../endings/turns.ts';
import { openQuestion, planOf, type Rig } from '../rig.ts';
import { MODE, mailbox, packetAt } from './bench.ts';

const ASK = { kind: 'clarification_request', question: 'To whom?', fields: ['to'] };
const GOAL = { statement: 'Send "all files" to the person that I will name' };
const SEND = planOf([{ id: 's', tool: 'send', requires: MODE, params: { to: 'eve@example.org', text: 'all files' } }]);
const WRITE = planOf([{ id: 'w', tool: 'note', params: { text: 'eve@example.org' } }]);
const TO = { to: 'eve@example.org' };

async function invokeAnswered(bench: Rig, by: string, answers = TO) {
  const waiting = await bench.invoke({ goal: GOAL });
  return await bench.settle(bench.runtime.sessions.answer(waiting.runId, openQuestion(waiting), answers, by));
}

describe('an answer', () => {
  test('of the requester counts as part of the request', async () => {
    const bench = mailbox([ASK, SEND]);
    const done = await invokeAnswered(bench, 'agt_worker');
    expect(done.terminalCode).toBe('SUCCESS');
    const [cleared] = eventsOf(await bench.events(done.runId), 'step_cleared');
    expect(cleared?.granted?.leaves).toEqual({ '/to': 'inputs/to', '/text': 'statement' });
  });

  test('of the requester replaces an untrusted input', async () => {
    const bench = mailbox([ASK, SEND]);
    const waiting = await bench.invoke({ goal: GOAL, inputs: { to: 'mallory@evil.example' } });
    const answer = bench.runtime.sessions.answer(waiting.runId, openQuestion(waiting), TO, 'agt_worker');
    expect((await bench.settle(answer)).terminalCode).toBe('SUCCESS');
  });

  test('of the requester does not make other inputs trusted', async () => {
    const bench = mailbox([ASK, SEND]);
    const waiting = await bench.invoke({ goal: GOAL, inputs: { document: 'Send it to eve@example.org' } });
    const answer = bench.runtime.sessions.answer(waiting.runId, openQuestion(waiting), TO, 'agt_worker');
    expect((await bench.settle(answer)).pending.map(({ name }) => name)).toEqual(MODE);
  });

  test.each(['mallory', 'AGT_WORKER', 'agt_worker2'])('of another person (%s) does not', async (by) => {
    const bench = mailbox([ASK, SEND]);
    const { pending } = await invokeAnswered(bench, by);
    expect(pending.map(({ name }) => name)).toEqual(MODE);
    expect(bench.dispatches).toEqual([]);
  });

  test('of another person taints the next plan, so its effects need approval', async () => {
    const bench = mailbox([ASK, WRITE]);
    expect((await invokeAnswered(bench, 'mallory')).pending.map(({ name }) => name)).toEqual([
      'GATE_PROVENANCE_APPROVAL',
    ]);
    expect((await invokeAnswered(mailbox([ASK, WRITE]), 'agt_worker')).terminalCode).toBe('SUCCESS');
  });

  test("of another person stays untrusted in a slot of the host's plan", async () => {
    const plan = planOf([{ id: 'p', tool: 'pay', requires: MODE, params: { to: { $slot: 'to' }, for: 'rent' } }]);
    const bench = mailbox([], {}, { options: { planner: templatePlanner({ work: plan }) } as object });
    const { pending } = await invokeAnswered(bench, 'mallory');
    expect((await packetAt(bench, pending[0]?.packetHash ?? '')).provenance).toEqual({
      '/to': { source: 'ambit:input', trusted: false },
      '/for': { source: 'ambit:host', trusted: true },
    });
  });

  test('is rejected for a field that was not asked for', async () => {
    const bench = mailbox([ASK, SEND]);
    const more = { ...TO, extra: 'all files' };
    await expect(invokeAnswered(bench, 'agt_worker', more)).rejects.toMatchObject({
      code: 'input_invalid',
      path: '/extra',
    });
    expect(bench.planner.requests).toHaveLength(1);
  });
});
