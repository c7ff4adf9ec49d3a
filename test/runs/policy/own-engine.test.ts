/** An engine of one’s own may keep what it needs on itself. */
import { expect, test } from 'vitest';
import type { PolicyRuling } from '../../../src/model/policy-decision.ts';
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

test('it is compared with a candidate as it ruled', async () => {
  const bench = rig({
    tools: { look: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'look' }])],
    world: { policy: { calls: new Rules() } },
  });
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  await bench.runtime.replay(runId);
  expect(await bench.runtime.shadow(runId, cedar(PERMIT_ALL))).toEqual([]);
});
