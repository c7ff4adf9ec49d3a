/** The loop guard stops repetition and always records what was repeated. */
import { expect, test } from 'vitest';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type RigOptions, rig } from '../rig.ts';

const identicalCalls = (count: number): Plan =>
  planOf(Array.from({ length: count }, (_, n) => ({ id: `s${n + 1}`, tool: 'read', params: { b: 1, a: 2 } })));

const SAME_CALL: RigOptions = { tools: { read: {} }, plans: [identicalCalls(5)] };

/** A plan that fails at once with no new evidence, proposed several times. */
const SAME_PLAN: RigOptions = {
  tools: {
    post: {
      retries_max: 0,
      execute: () => {
        throw new Error('down');
      },
    },
  },
  plans: Array.from({ length: 4 }, () => planOf([{ id: 's1', tool: 'post' }])),
};

/** A valid plan that was not enough, followed by plans that are rejected for the same reason. */
const SAME_REFUSAL: RigOptions = {
  tools: { read: {}, finish: { produces: ['done'] } },
  plans: [
    planOf([{ id: 's0', tool: 'read' }]),
    ...Array.from({ length: 9 }, (_, n) => planOf([{ id: 's1', tool: 'teleport', params: { n } }])),
  ],
  caps: { ...CAPS, replan_attempts_max: 8, replan_rationale: 'to see it stop' },
};

verifies(
  ['loopguard:tool:repeated-identical-calls', 'loopguard:count:in-verdict'],
  'does not send the fourth identical call, and counts one trip',
  async () => {
    const bench = rig(SAME_CALL);
    const { runId, reason, verdict } = await bench.invoke();
    expect(bench.dispatches).toHaveLength(3);
    expect(reason).toBe('loop_detected');
    const { state } = await bench.runtime.records.replay(runId);
    const hash = (await bench.events(runId)).find((event) => event.type === 'step_cleared')?.args_hash;
    expect(state.people.escalation?.stop).toEqual({
      code: 'REVIEW_REQUIRED',
      reason: 'loop_detected',
      detail: { kind: 'repeated_call', tool: 'read', args_hash: hash, count: 4, limit: 3 },
    });
    expect(verdict).toMatchObject({ verdict: 'escalate', loop_guard_trips: 1 });
  },
);

verifies('loopguard:tool:distinct-arguments-allowed', 'sends ten calls with ten different arguments', async () => {
  const steps = Array.from({ length: 10 }, (_, n) => ({ id: `s${n}`, tool: n < 9 ? 'read' : 'finish', params: { n } }));
  const bench = rig({ tools: { read: {}, finish: { produces: ['done'] } }, plans: [planOf(steps)] });
  const { verdict, terminalCode } = await bench.invoke();
  expect(bench.dispatches).toHaveLength(10);
  expect(terminalCode).toBe('SUCCESS');
  expect(verdict?.loop_guard_trips).toBe(0);
});

verifies('loopguard:reflection:no-progress', 'stops an identical plan without new evidence', async () => {
  const bench = rig({ ...SAME_PLAN, caps: { ...CAPS, replan_attempts_max: 5, replan_rationale: 'to see it stop' } });
  const { runId, reason } = await bench.invoke();
  expect(reason).toBe('loop_detected');
  expect(bench.dispatches).toHaveLength(2);
  const { state } = await bench.runtime.records.replay(runId);
  expect(state.people.escalation?.stop.detail).toMatchObject({ kind: 'no_progress', evidence: 0, count: 2, limit: 1 });
});

const TRIPS: Readonly<Record<string, RigOptions>> = {
  repeated_call: SAME_CALL,
  no_progress: SAME_PLAN,
  repeated_transition: SAME_REFUSAL,
};

for (const [kind, options] of Object.entries(TRIPS)) {
  verifies(
    'loopguard:reason:never-silent',
    `${kind}: the reason is in the verdict, the trace and the ending`,
    async () => {
      const bench = rig({ ...options, options: { limits: { onEscalate: 'end' } } });
      const { runId, terminalCode, reason, verdict } = await bench.invoke();
      const code = kind === 'repeated_call' ? 'REVIEW_REQUIRED' : 'REPEATED_FAILURE';
      expect({ terminalCode, reason }).toEqual({ terminalCode: code, reason: 'loop_detected' });
      expect(verdict).toMatchObject({ verdict: 'escalate', loop_guard_trips: 1 });
      const events = await bench.events(runId);
      const stop = { reason: 'loop_detected', detail: { kind } };
      expect(events.find((event) => event.type === 'run_escalated')).toMatchObject({ stop });
      expect(events.at(-1)).toMatchObject({ type: 'run_terminated', ...stop });
    },
  );
}

test('stops the fourth return to the planner for the same reason', async () => {
  const bench = rig(SAME_REFUSAL);
  expect(await bench.invoke()).toMatchObject({ reason: 'loop_detected' });
  expect(bench.planner.requests).toHaveLength(1 + 4);
});
