/** Tests that a run asks for an empty slot of a plan template by name and does not count it as a planner failure. */
import { describe, expect, test } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import type { StandardGraphName } from '../../../src/kernel/graph/standard-graphs.ts';
import { templatePlanner } from '../../../src/roles/template-planner.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, openQuestion, planOf, REQUEST, START_MS, toolSpec } from '../rig.ts';

const slot = (name: string) => ({ $slot: name });
const TEMPLATE = planOf([
  { id: 'a', tool: 'pay', params: { order: slot('order_id'), lines: [{ amount: slot('amount') }] } },
  { id: 'b', tool: 'pay', params: { order: slot('order_id'), note: 'second' }, depends_on: ['a'] },
]);

function bench(template = TEMPLATE, graph: StandardGraphName = 'plan_first') {
  const paid: unknown[] = [];
  const clock = simulatedClock(START_MS);
  const execute = (args: unknown) => {
    paid.push(args);
    return { ok: true };
  };
  const runtime = ambit({
    agent: agentFor(['pay']),
    graph,
    tools: [{ spec: toolSpec('pay', { produces: ['done'] }), execute }],
    planner: templatePlanner({ work: template }),
    world: { clock, timer: clock },
  });
  return { paid, runtime };
}

describe('a template with slots', () => {
  verifies(
    ['escalate:missing-input:specific-question', 'terminate:missing-info:suspend-and-name-field'],
    'is filled from the request and from the answers of the user',
    async () => {
      const { paid, runtime } = bench();
      const waiting = await runtime.invoke({ ...REQUEST, inputs: { order_id: 'ord_1' } });
      expect(waiting).toMatchObject({
        status: 'paused',
        authority: 'user',
        question: { fields: ['amount'] },
        suspended: { code: 'MISSING_INFO', detail: { fields: ['amount'] } },
      });
      expect(paid).toEqual([]);
      const done = await runtime.sessions.answer(waiting.runId, openQuestion(waiting), { amount: 42 }, 'user_1');
      expect(done).toMatchObject({ runId: waiting.runId, terminalCode: 'SUCCESS' });
      expect(paid[0]).toEqual({ order: 'ord_1', lines: [{ amount: 42 }] });
    },
  );

  test('asks in the deterministic workflow graph, too', async () => {
    const { paid, runtime } = bench(TEMPLATE, 'deterministic_workflow');
    const waiting = await runtime.invoke(REQUEST);
    const answers = { order_id: 'ord_1', amount: 42 };
    const done = await runtime.sessions.answer(waiting.runId, openQuestion(waiting), answers, 'user_1');
    expect(done.terminalCode).toBe('SUCCESS');
    expect(paid).toHaveLength(2);
  });

  test('asks for all missing slots at once, each once', async () => {
    const { question } = await bench().runtime.invoke(REQUEST);
    expect(question?.fields).toEqual(['order_id', 'amount']);
  });

  test('asks nothing if every slot has a value, even null', async () => {
    const { paid, runtime } = bench();
    const done = await runtime.invoke({ ...REQUEST, inputs: { order_id: 'ord_1', amount: null } });
    expect(done.terminalCode).toBe('SUCCESS');
    expect(paid[0]).toEqual({ order: 'ord_1', lines: [{ amount: null }] });
  });

  test('fails planning if the slot name is not a valid field name', async () => {
    const { runtime } = bench(planOf([{ id: 'a', tool: 'pay', params: { order: slot('the order') } }]));
    const outcome = await runtime.invoke(REQUEST);
    expect(outcome).toMatchObject({ status: 'paused', suspended: { code: 'UNAVAILABLE_DEP' } });
  });
});
