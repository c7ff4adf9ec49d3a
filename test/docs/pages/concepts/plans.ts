import { deepEqual, equal } from 'node:assert/strict';
import { decisionsFrom } from '../../../../src/index.ts';
import { readPlan } from '../../../../src/kernel/verify/read-plan.ts';
import type { PageFixture } from '../../page.ts';

export const run: PageFixture = async ({ read }) => {
  // `src/kernel/verify/plans-guide.test.ts` also verifies both plans against the tools that they name.
  for (const place of [1, 2]) deepEqual(Object.keys(readPlan(JSON.parse(read('json', place)))), ['plan']);
  read('yaml', 1);
  const [decision] = decisionsFrom('decisions.yaml');
  equal(decision?.decision_id, 'support.refund.execute');
};
