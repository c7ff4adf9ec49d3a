/** Property: while a call is in doubt, no plan repeats it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import { answered, eventsOf, proposed, turns } from '../endings/turns.ts';
import { planOf, type RigTool } from '../rig.ts';

const PAY: RigTool = {
  side_effect: true,
  approval_mode: 'local_write',
  produces: ['done'],
  retries_max: 0,
  idempotency: { kind: 'none' },
};
const FIRST = planOf([{ id: 'a', tool: 'pay', params: { amount: 5, to: 'ann' } }]);
const TWIN = { tool: 'pay', params: { to: 'ann', amount: 5 } };

/** Any number of harmless steps, followed by the same payment under any step id. */
const plans = fc.record({ before: fc.nat(3), id: fc.constantFrom('a', 'b', 'pay_again'), optional: fc.boolean() });
const failures = fc.constantFrom('error' as const, 'malformed' as const, 'empty' as const, 'denied' as const);

test('a call in doubt blocks an identical call under any plan', () => {
  fc.assert(
    fc.property(failures, plans, (outcome, { before, id, optional }) => {
      const run = turns({ tools: { pay: PAY, look: {} } });
      run.say(proposed(FIRST));
      run.say(answered(run, { outcome, raw: null }));
      const awaits = (): string | null => run.state.ending.inFlight;
      if (awaits() !== 'plan') return;
      const looks = Array.from({ length: before }, (_, n): PlanStep => ({ id: `l${n}`, tool: 'look', params: { n } }));
      const after = looks.map((step) => step.id);
      run.say(proposed(planOf([...looks, { id, ...TWIN, depends_on: after, optional }], { plan_id: 'plan_2' })));
      while (awaits() === 'call' && run.state.current?.tool === 'look') run.say(answered(run));
      const paid = eventsOf(run.events, 'step_attempted').filter(({ tool }) => tool === 'pay');
      expect(paid).toHaveLength(1);
    }),
    { numRuns: 25 },
  );
});
