import { equal } from 'node:assert/strict';
import { ambit, planFirst, reactive } from '../../../../src/index.ts';
import { scriptedModel } from '../../../../src/testing/index.ts';
import type { PageFixture } from '../../page.ts';
import { customer, plan, QUESTION, step, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  await load(1);
  const { planner } = await load(2);
  const templates = { ask: { plan_id: 'plan_1', intent: 'ask', ...plan(step('customer')) } };
  const model = scriptedModel([]);
  const agent = written({
    planner: planner(templates, planFirst({ model }), reactive({ model })),
    intents: [{ intent: 'ask', description: 'Answer questions' }],
    tools: [customer],
    settings: { autonomy: { tier: 3, needs: ['static_branching'] } },
  });
  const { terminalCode, plan: planned } = await ambit({ agent, graph: 'deterministic_workflow' }).invoke(QUESTION);
  equal(terminalCode, 'SUCCESS');
  equal(planned?.planId, 'plan_1');
};
