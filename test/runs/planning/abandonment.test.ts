/** Tests that a plan whose assumption turns out false is abandoned, and that the user decides how to continue. */
import { expect } from 'vitest';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { openQuestion, planOf, type RigOptions, rig, START_MS } from '../rig.ts';

const STOCK = {
  execute: () => ({ in_stock: false }),
  output_schema: { type: 'object', properties: { in_stock: { type: 'boolean' } }, required: ['in_stock'] },
};

const assuming = (steps: Plan['steps']): Plan =>
  planOf(steps, {
    assumptions: [{ id: 'stock', statement: 'The article is in stock.', step: 's1', path: '/in_stock', equals: true }],
  });

const OPTIONS: RigOptions = {
  tools: { look: STOCK, ship: {}, finish: { produces: ['done'] } },
  plans: [
    assuming([
      { id: 's1', tool: 'look' },
      { id: 's2', tool: 'ship', depends_on: ['s1'] },
      { id: 's3', tool: 'finish', depends_on: ['s2'] },
    ]),
    planOf([{ id: 's4', tool: 'finish' }], { plan_id: 'plan_2' }),
  ],
};

verifies(
  'plan:abandon:invalidated-assumption-stops-and-asks',
  'dispatches nothing more, asks the user, and passes the answer to the planner',
  async () => {
    const bench = rig(OPTIONS);
    const stopped = await bench.invoke();
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look']);
    expect(bench.planner.requests).toHaveLength(1);
    expect(stopped).toMatchObject({
      status: 'paused',
      authority: 'user',
      terminalCode: null,
      question: { fields: ['clarification'], readings: [expect.stringContaining('The article is in stock.')] },
    });
    const { runId } = stopped;
    const answers = { clarification: 'Close the order instead.' };
    const done = await bench.settle(bench.runtime.sessions.answer(runId, openQuestion(stopped), answers, 'user_1'));
    expect(bench.planner.requests[1]).toMatchObject({
      inputs: answers,
      reason: { code: 'question_answered', detail: answers },
    });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look', 'finish']);
    expect(done.terminalCode).toBe('SUCCESS');
  },
);

verifies(
  'plan:abandon:invalidated-assumption-stops-and-asks',
  'ends with IMPOSSIBLE if the user never answers',
  async () => {
    const bench = rig(OPTIONS);
    const waiting = await bench.invoke({ runtime: { max_session_duration_ms: 60_000 } });
    const { runId } = waiting;
    bench.clock.advanceTo(START_MS + 60_000);
    const late = bench.runtime.sessions.answer(runId, openQuestion(waiting), { clarification: 'too late' }, 'user_1');
    expect(await bench.settle(late)).toMatchObject({ status: 'expired', terminalCode: 'IMPOSSIBLE' });
    expect(bench.dispatches).toHaveLength(1);
  },
);
