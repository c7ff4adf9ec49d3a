import { deepEqual, equal } from 'node:assert/strict';
import { ambit, decisionsFrom } from '../../../../src/index.ts';
import { readPlan } from '../../../../src/kernel/verify/read-plan.ts';
import type { PageFixture } from '../../page.ts';
import { step, written } from '../parts.ts';

export const run: PageFixture = async ({ load, read }) => {
  // `src/kernel/verify/plans-guide.test.ts` also verifies both plans against the tools that they name.
  for (const place of [1, 2]) deepEqual(Object.keys(readPlan(JSON.parse(read('json', place)))), ['plan']);
  read('yaml', 1);
  const [decision] = decisionsFrom('decisions.yaml');
  equal(decision?.decision_id, 'support.refund.execute');

  const { check } = await load(1);
  const runtime = ambit({ agent: written() });
  const plan = { plan_id: 'plan_1', intent: 'ask', steps: [step('customer'), step('wire', {}, 's2')] };
  const report = await check(runtime, { ...plan, decision_checkpoints: [] });
  deepEqual([report.verdict, report.problems[0]?.code], ['replan', 'hallucinated_capability']);
  deepEqual(await runtime.sessions.list(), []);
};
