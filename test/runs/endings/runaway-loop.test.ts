/** Tests that a run in a loop is ended and recorded. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, rig } from '../rig.ts';
import { eventsOf } from './turns.ts';

const ID = 'pathology:runaway-loop:repeated-transition-hash';

const failing = () => {
  throw new Error('no');
};

verifies(ID, 'the loop guard ends a run that proposes the same plan after every repair', async () => {
  const bench = rig({
    tools: { read: { retries_max: 0, produces: ['done'], execute: failing } },
    plans: Array.from({ length: 9 }, () => planOf([{ id: 'a', tool: 'read' }])),
    caps: { ...CAPS, replan_attempts_max: 9, replan_rationale: 'to see the guard first' },
    options: { limits: { onEscalate: 'end' } },
  });
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({
    terminalCode: 'REPEATED_FAILURE',
    reason: 'loop_detected',
    verdict: { loop_guard_trips: 1 },
  });
  const events = await bench.events(outcome.runId);
  expect(eventsOf(events, 'plan_proposed').length).toBeLessThanOrEqual(3);
  expect(events.at(-1)).toMatchObject({ detail: { kind: 'no_progress' } });
  expect((await bench.runtime.records.replay(outcome.runId)).state.ending.terminal?.code).toBe('REPEATED_FAILURE');
});

verifies(ID, 'a model whose plans always fail differently reaches a limit', async () => {
  const bench = rig({
    tools: { read: { retries_max: 0, produces: ['done'], execute: failing } },
    plans: Array.from({ length: 99 }, (_, n) =>
      planOf([{ id: 'a', tool: 'read', params: { n } }], { plan_id: `p${n}` }),
    ),
    caps: { ...CAPS, replan_attempts_max: 99, replan_rationale: 'to see the other bounds' },
    options: { limits: { onEscalate: 'end' } },
  });
  const outcome = await bench.invoke();
  expect(['REPEATED_FAILURE', 'BUDGET_EXHAUSTED']).toContain(outcome.terminalCode);
  expect(bench.dispatches.length).toBeLessThanOrEqual(3);
});
