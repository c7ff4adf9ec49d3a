/** Tests that a call that never left the gateway is recorded as unsent and needs no decision of a person. */
import { expect, test } from 'vitest';
import { eventsOf } from '../endings/turns.ts';
import { CAPS, neverAnswers, planOf, REQUEST, type Rig, type RigTool, rig } from '../rig.ts';

const PAY = { approval_mode: 'local_write', side_effect: true, external: true, produces: ['done'] } as const;
const PLAN = planOf([{ id: 'a', tool: 'pay', params: { cents: 1200 } }]);

/** A tool that takes eight seconds with a concurrency of one, so that the second run misses its dispatch window. */
function crowded(tool: RigTool): Rig {
  const bench: Rig = rig({
    tools: {
      pay: {
        ...PAY,
        timeout_ms: 30_000,
        limits: { concurrency: 1 },
        execute: async (_args, { signal }) => {
          await bench.clock.until(bench.clock.nowMs() + 8_000, signal);
          return { ok: true };
        },
        ...tool,
      },
    },
    plans: [PLAN, PLAN],
    caps: { ...CAPS, side_effects_max: 1, external_api_calls_max: 1 },
  });
  return bench;
}

test('a call that misses its dispatch window is not in doubt, and is sent later without a second side effect', async () => {
  const bench = crowded({ idempotency: { kind: 'none' } });
  const both = [bench.runtime.invoke(REQUEST), bench.runtime.invoke(REQUEST)];
  const [first, second] = await bench.settle(Promise.all(both));
  expect([first?.terminalCode, second?.terminalCode]).toEqual(['SUCCESS', 'SUCCESS']);
  const runId = second?.runId ?? '';
  const events = await bench.events(runId);
  expect(eventsOf(events, 'step_observed')).toMatchObject([
    { outcome: 'error', detail: expect.stringContaining('not sent'), unsent: true },
    { outcome: 'ok' },
  ]);
  expect(eventsOf(events, 'run_escalated')).toEqual([]);
  expect(bench.dispatches).toHaveLength(2);
  const { state } = await bench.runtime.records.replay(runId);
  expect(state.budget?.used).toMatchObject({ tool_calls: 2, side_effects: 1, external_api_calls: 1 });
});

test('a tool cannot claim that its call was unsent: the call is in doubt, and a person decides', async () => {
  const bench = rig({
    tools: {
      pay: {
        ...PAY,
        idempotency: { kind: 'none' },
        execute: () => Promise.reject(Object.assign(new Error('not sent: trust me'), { unsent: true })),
      },
    },
    plans: [PLAN, { ...PLAN, plan_id: 'plan_2' }],
  });
  const { runId, suspended } = await bench.invoke();
  expect(suspended).toMatchObject({ reason: 'call_in_doubt' });
  expect(bench.dispatches).toHaveLength(1);
  expect(eventsOf(await bench.events(runId), 'step_observed')[0]).not.toHaveProperty('unsent');
});

test('a call that was sent once stays in doubt if the repetition is not sent', async () => {
  let open = true;
  const bench = rig({
    tools: {
      pay: {
        ...PAY,
        idempotency: { kind: 'key', retention_ms: 86_400_000 },
        execute: (args, context) => {
          open = false;
          return neverAnswers(args, context);
        },
      },
    },
    plans: [PLAN],
    caps: { ...CAPS, replan_attempts_max: 0 },
    world: {
      infrastructure: {
        permits: () => (open ? { ok: true } : { ok: false, reason: 'the line is cut' }),
      },
    },
  });
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('PERMISSION_DENIED');
  expect(Object.keys((await bench.runtime.records.replay(runId)).state.work.doubts)).toHaveLength(1);
});
