import { equal } from 'node:assert/strict';
import { type PlanTemplates, templatePlanner } from '../../../../src/index.ts';
import { scriptedModel } from '../../../../src/testing/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, plan, step, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const { withClassifier } = await load(1);
  const intents = [
    { intent: 'plan.tell', description: 'Tell the plan of a subscriber' },
    { intent: 'plan.compare', description: 'Tell the plans that exist' },
  ];
  const small = scriptedModel([{ intent: 'plan.tell', confidence: 0.9 }]);
  const planner = templatePlanner(
    Object.fromEntries(
      intents.map(({ intent }) => [intent, { plan_id: intent, intent, ...plan(step('customer')) }]),
    ) as unknown as PlanTemplates,
  );
  const runtime = withClassifier(written({ intents, planner }), small);
  const outcome = await runtime.invoke({ message: 'Tell me about my plan', user: ADA });
  equal(outcome.terminalCode, 'SUCCESS', JSON.stringify(outcome));
  small.assertDrained();
};
