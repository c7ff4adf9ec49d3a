/** A blank of a template that the request leaves open is asked for by its name; whoever wrote the plan did nothing wrong. */
import { describe, expect, test } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import type { StandardGraphName } from '../../../src/kernel/graph/standard-graphs.ts';
import { templatePlanner } from '../../../src/roles/template-planner.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, asked, planOf, REQUEST, START_MS, toolSpec } from '../rig.ts';

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

describe('a template with blanks', () => {
  verifies(
    ['escalate:missing-input:specific-question', 'terminate:missing-info:suspend-and-name-field'],
    'is filled from the request and from what the user then says',
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
      const done = await runtime.answer(waiting.runId, asked(waiting), { amount: 42 }, 'user_1');
      expect(done).toMatchObject({ runId: waiting.runId, terminalCode: 'SUCCESS' });
      expect(paid[0]).toEqual({ order: 'ord_1', lines: [{ amount: 42 }] });
    },
  );

  test('asks on the path of a fixed workflow as well', async () => {
    const { paid, runtime } = bench(TEMPLATE, 'deterministic_workflow');
    const waiting = await runtime.invoke(REQUEST);
    const answers = { order_id: 'ord_1', amount: 42 };
    const done = await runtime.answer(waiting.runId, asked(waiting), answers, 'user_1');
    expect(done.terminalCode).toBe('SUCCESS');
    expect(paid).toHaveLength(2);
  });

  test('asks for all of them at once, each once', async () => {
    const { question } = await bench().runtime.invoke(REQUEST);
    expect(question?.fields).toEqual(['order_id', 'amount']);
  });

  test('asks nothing where everything was given, be it null', async () => {
    const { paid, runtime } = bench();
    const done = await runtime.invoke({ ...REQUEST, inputs: { order_id: 'ord_1', amount: null } });
    expect(done.terminalCode).toBe('SUCCESS');
    expect(paid[0]).toEqual({ order: 'ord_1', lines: [{ amount: null }] });
  });

  test("is the planner's failure where a blank has no name to ask by", async () => {
    const { runtime } = bench(planOf([{ id: 'a', tool: 'pay', params: { order: slot('the order') } }]));
    const outcome = await runtime.invoke(REQUEST);
    expect(outcome).toMatchObject({ status: 'paused', suspended: { code: 'UNAVAILABLE_DEP' } });
  });
});
