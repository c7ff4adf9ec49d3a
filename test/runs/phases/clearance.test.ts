/** A goal needs explicit clearance by policy. */
import { expect } from 'vitest';
import type { Policy } from '../../../src/ports/authorizer.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';

const ID = 'intake:policy:explicit-clearance-needed';
const plans = { version: 'no_rules@1', invariants: () => [] };
const engines: readonly (readonly [string, Policy])[] = [
  ['a rule that forbids it', { check: () => ({ cleared: false, rule: 'no_work_today' }) }],
  [
    'an engine that throws',
    {
      check: () => {
        throw new Error('the rules cannot be read');
      },
    },
  ],
  ['an engine that returns no decision', { check: () => ({}) as ReturnType<Policy['check']> }],
];
for (const [what, goals] of engines) {
  verifies(ID, `${what} clears nothing`, async () => {
    const bench = rig({
      tools: { finish: { produces: ['done'] } },
      plans: [planOf([{ id: 'a', tool: 'finish' }])],
      world: { policy: { goals, plans } },
    });
    const outcome = await bench.invoke();
    expect(outcome).toMatchObject({ terminalCode: 'UNSAFE_DETECTION', reason: 'policy_not_cleared' });
    const { state } = await bench.runtime.records.replay(outcome.runId);
    expect([state.manifest, state.budget, state.intake.cleared]).toEqual([null, null, false]);
    expect([bench.planner.requests.length, bench.dispatches.length]).toEqual([0, 0]);
  });
}
