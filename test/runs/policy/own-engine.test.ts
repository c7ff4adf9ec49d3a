/** A custom engine may keep its state in private fields. */
import { expect, test } from 'vitest';
import type { PolicyRuling } from '../../../src/model/policy/policy-decision.ts';
import type { Authorizer } from '../../../src/ports/authorizer.ts';
import { planOf, rig } from '../rig.ts';
import { cedar, PERMIT_ALL } from './bench.ts';

class Rules implements Authorizer {
  readonly version = 'rules@1';
  readonly #permits: PolicyRuling = { effect: 'permit', determining: ['all'], reasons: [], gates: [], errors: [] };
  decide(): PolicyRuling {
    return this.#permits;
  }
}

test('compares a custom engine with a candidate', async () => {
  const bench = rig({
    tools: { look: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'look' }])],
    world: { policy: { calls: new Rules() } },
  });
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  await bench.runtime.records.replay(runId);
  expect(await bench.runtime.records.shadow(runId, cedar(PERMIT_ALL))).toEqual([]);
});
