/** A budget that runs out in the middle of a step escalates the run instead of failing it. */
import { expect } from 'vitest';
import { verdictEnvelope } from '../../../src/kernel/query/critic-input/record-decision.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, rig } from '../rig.ts';

verifies('budget:exhaustion:mid-step-escalates', 'does not send a third call with a cap of two', async () => {
  let calls = 0;
  const bench = rig({
    tools: {
      read: {},
      flaky: {
        produces: ['done'],
        execute: () => {
          calls += 1;
          throw new Error('not now');
        },
      },
    },
    plans: [
      planOf([
        { id: 's1', tool: 'read' },
        { id: 's2', tool: 'flaky' },
      ]),
    ],
    caps: { ...CAPS, tool_calls_max: 2 },
  });
  const outcome = await bench.invoke();
  expect(calls).toBe(1);
  expect(bench.dispatches).toHaveLength(2);
  expect(outcome).toMatchObject({
    status: 'paused',
    authority: 'budget_queue',
    verdict: { verdict: 'escalate' },
    suspended: { code: 'BUDGET_EXHAUSTED', detail: { dimension: 'tool_calls' } },
  });
  const { state } = await bench.runtime.records.replay(outcome.runId);
  expect(verdictEnvelope(state)?.verdict).toBe('escalate');
});
