/** The exits of the three open statuses of a session, read from the journals of runs that take each of them. */
import { expect } from 'vitest';
import type { SessionStatus } from '../../../src/model/run/session-status.ts';
import { verifies } from '../../requirements/verifies.ts';
import { neverAnswers, operator, planOf, type Rig, type RigOptions, rig, START_MS } from '../rig.ts';
import { waitForEvent } from './wait-for-event.ts';

const MINUTE = 60_000;
const END = { id: 's1', tool: 'finish' };
const ONE = planOf([END]);
const FINISHING: RigOptions = { tools: { finish: { produces: ['done'] } }, plans: [ONE] };
const GATED: RigOptions = {
  tools: { wipe: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_OWNER'], produces: ['done'] } },
  plans: [planOf([{ id: 's1', tool: 'wipe', requires: ['GATE_OWNER'] }])],
  options: { limits: { gateTtlMs: MINUTE } },
};
/** A run whose planner gives up, which is handed to an operator. */
const UNPLANNED: RigOptions = { ...FINISHING, plans: ['no plan', 'no plan', 'no plan', ONE] };
const UNTIL_MINUTE = { runtime: { max_session_duration_ms: MINUTE } };

/** The statuses of a run after each turn, without repetitions. */
async function statuses(bench: Rig, runId: string): Promise<readonly SessionStatus[]> {
  const { turns } = await bench.runtime.records.replay(runId);
  return turns.map(({ state }) => state.session.status).filter((status, at, all) => status !== all[at - 1]);
}

/** Runs the situation, lets `after` act on it, and returns the statuses of the run. */
async function walked(
  options: RigOptions,
  after: (bench: Rig, outcome: Awaited<ReturnType<Rig['invoke']>>) => unknown = () => undefined,
  request: Parameters<Rig['invoke']>[0] = {},
): Promise<string> {
  const bench = rig(options);
  const outcome = await bench.invoke(request);
  await after(bench, outcome);
  return (await statuses(bench, outcome.runId)).join(' → ');
}

type Act = Parameters<typeof walked>[1] & object;
const answer =
  (decision: 'approve' | 'reject'): Act =>
  async ({ runtime, settle }, { pending: [gate] }) => {
    const decided = { packetHash: gate?.packetHash ?? '', credential: operator('lead_1'), reason: 'because' };
    await settle(runtime.gates[decision](gate?.gateId ?? '', decided));
  };
const afterMinute: Act = async (bench, { runId }) => {
  bench.clock.advanceTo(START_MS + 2 * MINUTE);
  await bench.runtime.resume(runId);
};
const sending =
  (event: object): Act =>
  async (bench, { runId }) => {
    await bench.settle(bench.runtime.sessions.send(runId, event as never));
  };
const cancel = { type: 'run_cancelled', by: 'ops_1', reason: 'enough' };

/** Every event that a person can send, and that the status of the run refuses. */
async function expectRefused(options: RigOptions, events: readonly object[]): Promise<void> {
  const bench = rig(options);
  const { runId, status } = await bench.invoke();
  for (const event of events)
    await expect(bench.runtime.sessions.send(runId, event as never)).rejects.toMatchObject({ code: 'event_illegal' });
  expect(await bench.runtime.sessions.get(runId)).toMatchObject({ status });
  expect((await statuses(bench, runId)).at(-1)).toBe(status);
  expect(bench.dispatches).toEqual([]);
}

verifies(
  'session:state:in-progress-exits',
  'a run in progress waits, pauses, completes, fails or expires',
  async () => {
    const ending = { limits: { onEscalate: 'end' as const } };
    const silent: RigOptions['tools'] = { finish: { timeout_ms: 900_000, produces: ['done'], execute: neverAnswers } };
    expect(await walked(GATED)).toBe('in_progress → awaiting_gate');
    expect(await walked(UNPLANNED)).toBe('in_progress → paused');
    expect(await walked(FINISHING)).toBe('in_progress → completed');
    expect(await walked({ ...UNPLANNED, options: ending })).toBe('in_progress → failed');
    expect(await walked({ tools: silent, plans: [ONE] }, undefined, UNTIL_MINUTE)).toBe('in_progress → expired');
  },
);

verifies('session:state:awaiting-gate-exits', 'a run at a gate goes on, is rejected or expires', async () => {
  expect(await walked(GATED, answer('approve'))).toBe('in_progress → awaiting_gate → in_progress → completed');
  expect(await walked(GATED, answer('reject'))).toBe('in_progress → awaiting_gate → rejected');
  expect(await walked(GATED, afterMinute)).toBe('in_progress → awaiting_gate → expired');
  await expectRefused(GATED, [
    { type: 'run_resumed', by: 'ops_1', operator: true },
    { type: 'run_paused', cause: 'operator', by: 'ops_1' },
    { type: 'escalation_decided', decision: 'finalize', by: 'ops_1', reason: 'done' },
  ]);
});

verifies('session:state:paused-exits', 'a paused run goes on, is cancelled or expires', async () => {
  const bench: Rig = rig({
    tools: {
      // An operator pauses the run during this call.
      read: {
        execute: async () => {
          void bench.runtime.sessions.send('run_1', { type: 'run_paused', cause: 'operator', by: 'ops_1' });
          await waitForEvent(bench, 'run_paused');
          return { ok: true };
        },
      },
      finish: { produces: ['done'] },
    },
    plans: [
      planOf([
        { id: 's0', tool: 'read' },
        { ...END, depends_on: ['s0'] },
      ]),
    ],
  });
  const { runId } = await bench.invoke();
  await sending({ type: 'run_resumed', by: 'ops_1', operator: true })(bench, { runId } as never);
  expect((await statuses(bench, runId)).join(' → ')).toBe('in_progress → paused → in_progress → completed');
  expect(await walked(UNPLANNED, sending(cancel))).toBe('in_progress → paused → cancelled');
  expect(await walked(UNPLANNED, afterMinute, UNTIL_MINUTE)).toBe('in_progress → paused → expired');
  await expectRefused(UNPLANNED, [{ type: 'run_paused', cause: 'operator', by: 'ops_1' }]);
});
