/**
 * Operator decisions about sessions: each needs a credential, is recorded with its proof, and is rejected where it must
 * be.
 */
import { describe, expect, test } from 'vitest';
import { remaining } from '../../../src/kernel/budget/view.ts';
import type { AgentPins } from '../../../src/model/run/agent.ts';
import { verifies } from '../../requirements/verifies.ts';
import { crashDuringCall, restartProcess } from '../executing/crashed-process.ts';
import { CAPS, operator, planOf, REQUEST, type Rig, type RigOptions, rig } from '../rig.ts';
import { noticesOf } from './notices-of.ts';

const THREE = planOf([
  { id: 's1', tool: 'one' },
  { id: 's2', tool: 'two', depends_on: ['s1'] },
  { id: 's3', tool: 'three', depends_on: ['s2'] },
]);
const TOOLS: NonNullable<RigOptions['tools']> = { one: {}, two: {}, three: { produces: ['done'] } };
const LONG = { mode: 'long_running', runtime: { max_session_duration_ms: 4 * 3_600_000 } } as const;
const OPS = operator('ops_1');
const ANSWER = { credential: OPS, reason: 'looked at it' };
/** The actor of the run, who cannot decide about their own request. */
const OWN = { credential: operator('agt_worker'), reason: 'I want it' };

const pinned = (pins: Partial<AgentPins>): RigOptions => ({
  tools: TOOLS,
  plans: [THREE],
  agent: (agent) => ({ ...agent, pins: { ...agent.pins, ...pins } }),
});

/** A session pinned to 1.0.0, loaded by a process that has 2.0.0. */
async function rigWithOtherPins(): Promise<Rig> {
  const first = await crashDuringCall('two', pinned({}));
  return restartProcess(first, { ...pinned({ pack_pin: 'ctxpack.bench@2.0.0', snapshot_pin: 'kg_2' }), plans: [] });
}

const HERE = { pack_pin: 'ctxpack.bench@2.0.0', snapshot_pin: 'kg_2' };
const BEFORE = { pack_pin: 'ctxpack.bench@1.0.0', snapshot_pin: 'kg_1' };

describe('a session whose pack or snapshot is not available', () => {
  verifies('resume:mismatch:operator-migrates-or-terminates', 'cannot be resumed or served', async () => {
    const later = await rigWithOtherPins();
    for (const _ of [1, 2, 3]) {
      await expect(later.runtime.resume('run_1')).rejects.toMatchObject({ code: 'pack_version_mismatch' });
    }
    const stop = new AbortController();
    const failures: string[] = [];
    const serving = later.runtime.serve({
      signal: stop.signal,
      failed: (_, error) => {
        failures.push((error as { code: string }).code);
        stop.abort();
      },
    });
    expect(await later.settle(serving)).toEqual({ driven: 0, failed: 1, quarantined: [] });
    expect(failures).toEqual(['pack_version_mismatch']);
    expect(later.dispatches).toEqual([]);
    expect(await later.runtime.sessions.get('run_1')).toMatchObject({ status: 'in_progress' });
  });

  verifies('resume:mismatch:operator-migrates-or-terminates', 'can be terminated by an operator', async () => {
    const later = await rigWithOtherPins();
    const ended = await later.settle(later.runtime.sessions.terminate('run_1', ANSWER));
    expect(ended).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
    expect(later.dispatches).toEqual([]);
    await expect(later.runtime.sessions.migrate('run_1', { ...ANSWER, to: HERE })).rejects.toMatchObject({
      code: 'session_terminal',
    });
  });

  verifies(
    'resume:mismatch:operator-migrates-or-terminates',
    'can be migrated by an operator, with both pins recorded',
    async () => {
      const later = await rigWithOtherPins();
      await expect(later.runtime.sessions.migrate('run_1', { ...OWN, to: HERE })).rejects.toMatchObject({
        code: 'permission_denied',
      });
      const elsewhere = { ...HERE, snapshot_pin: 'kg_9' };
      await expect(later.runtime.sessions.migrate('run_1', { ...ANSWER, to: elsewhere })).rejects.toMatchObject({
        code: 'pin_immutable',
      });
      expect(later.dispatches).toEqual([]);
      const done = await later.settle(later.runtime.sessions.migrate('run_1', { ...ANSWER, to: HERE }));
      expect(done).toMatchObject({ status: 'completed', terminalCode: 'SUCCESS' });
      expect(later.dispatches.map(({ tool }) => tool)).toEqual(['two', 'three']);
      const decided = (await later.events('run_1')).find((event) => event.type === 'run_migrated');
      expect(await noticesOf(later, 'run_1')).toContain('Session migrated');
      expect(decided).toMatchObject({
        from: BEFORE,
        to: HERE,
        by: 'ops_1',
        reason: 'looked at it',
        proof: { credential: 'local_operator', tenant_id: 'tenant_a' },
      });
      const { state } = await later.runtime.records.replay('run_1');
      expect(state.manifest).toMatchObject(HERE);
    },
  );
});

verifies(
  'resume:budget:operator-extension',
  'an exhausted session continues only with the budget an operator adds',
  async () => {
    let tries = 0;
    const three = {
      produces: ['done'],
      retries_max: 1,
      execute: (): { ok: true } => {
        tries += 1;
        if (tries === 1) throw new Error('once more');
        return { ok: true };
      },
    };
    const options: RigOptions = {
      tools: { ...TOOLS, three },
      plans: [THREE],
      caps: { ...CAPS, tool_calls_max: 3 },
    };
    const bench = rig(options);
    const out = await bench.invoke(LONG);
    expect(out).toMatchObject({ status: 'paused', suspended: { code: 'BUDGET_EXHAUSTED' } });
    const { handoverHash } = out;
    if (handoverHash === null) throw new Error('there is no handover');
    const later = restartProcess(bench, { ...options, plans: [] });

    // An escalation must be decided by a person who has seen it; a plain resume is rejected.
    await expect(later.runtime.sessions.resume('run_1', operator('ops_1'))).rejects.toMatchObject({
      code: 'event_illegal',
    });

    // Continued without more budget, the run is escalated again.
    const again = await later.settle(
      later.runtime.sessions.decideEscalation('run_1', { ...ANSWER, decision: 'continue', packetHash: handoverHash }),
    );
    expect(again).toMatchObject({ status: 'paused', suspended: { code: 'BUDGET_EXHAUSTED' } });
    const about = { delta: { tool_calls: 5 }, packetHash: again.handoverHash ?? '' };
    await expect(later.runtime.sessions.extendBudget('run_1', { ...OWN, ...about })).rejects.toMatchObject({
      code: 'permission_denied',
    });
    const unnamed = { type: 'budget_extended', by: '', reason: 'more', delta: { tool_calls: 5 } };
    await expect(later.runtime.sessions.send('run_1', unnamed)).rejects.toMatchObject({ code: 'operator_required' });

    const done = await later.settle(later.runtime.sessions.extendBudget('run_1', { ...ANSWER, ...about }));
    expect(done).toMatchObject({ terminalCode: 'SUCCESS' });
    const event = (await later.events('run_1')).find(({ type }) => type === 'budget_extended');
    expect(event).toMatchObject({ by: 'ops_1', delta: { tool_calls: 5 }, proof: { credential: 'local_operator' } });
    const { state, turns } = await later.runtime.records.replay('run_1');
    const then = turns.find(({ events }) => events.some(({ type }) => type === 'budget_extended'))?.state.budget;
    expect((then?.caps.tool_calls_max ?? 0) - (then?.used.tool_calls ?? 0)).toBe(5);
    // One of the five has been used since.
    expect(state.budget === null ? null : remaining(state.budget).tool_calls).toBe(4);
    expect(state.budget?.caps.tool_calls_max).toBe(8);
  },
);

test('more time moves the deadline by the same amount', async () => {
  const options: RigOptions = { tools: TOOLS, plans: [THREE], caps: { ...CAPS, tool_calls_max: 2 } };
  const bench = rig(options);
  const { handoverHash } = await bench.invoke(LONG);
  const { deadlineAt } = (await bench.runtime.records.replay('run_1')).state.session;
  const more = { delta: { tool_calls: 1, wall_clock_seconds: 90 }, packetHash: handoverHash ?? '' };
  const done = await bench.settle(bench.runtime.sessions.extendBudget('run_1', { ...ANSWER, ...more }));
  expect(done).toMatchObject({ terminalCode: 'SUCCESS' });
  expect((await bench.runtime.records.replay('run_1')).state.session.deadlineAt).toBe((deadlineAt ?? 0) + 90_000);
});

describe('steering', () => {
  test('a note reaches the planner from the next plan on, with its author, and is no evidence', async () => {
    const second = planOf([{ id: 's4', tool: 'three' }], { plan_id: 'plan_2' });
    const reached = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<never>();
    const bench = rig({
      tools: {
        ...TOOLS,
        two: {
          retries_max: 0,
          execute: () => {
            reached.resolve();
            return answer.promise;
          },
        },
      },
      plans: [THREE, second],
    });
    const resting = bench.runtime.invoke({ ...REQUEST, ...LONG });
    await reached.promise;
    await expect(
      bench.runtime.sessions.steer('run_1', { credential: operator('agt_worker'), note: 'hurry' }),
    ).rejects.toMatchObject({ code: 'permission_denied' });
    const steering = bench.runtime.sessions.steer('run_1', { credential: OPS, note: 'leave two alone' });
    for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    // The call in flight continues, without a new plan.
    expect(bench.planner.requests).toHaveLength(1);
    expect(bench.planner.requests[0]).not.toHaveProperty('notes');
    answer.reject(new Error('broken'));
    await bench.settle(steering);
    expect(await bench.settle(resting)).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.planner.requests.map(({ notes }) => notes)).toEqual([
      undefined,
      [{ by: 'ops_1', text: 'leave two alone' }],
    ]);
    const events = await bench.events('run_1');
    expect(events.find(({ type }) => type === 'run_steered')).toMatchObject({
      by: 'ops_1',
      note: 'leave two alone',
      proof: { credential: 'local_operator' },
    });
    expect(events.filter((event) => event.type === 'decision_refused')).toMatchObject([
      { decision: 'run_steered', claimed_by: 'agt_worker', code: 'permission_denied' },
    ]);
    const { state } = await bench.runtime.records.replay('run_1');
    expect(Object.values(state.work.evidenceByType)).not.toContain('leave two alone');
  });
});

verifies('resume:session:by-id-latest-checkpoint', 'resumes by id from the newest checkpoint', async () => {
  const first = await crashDuringCall('three', { tools: TOOLS, plans: [THREE] });
  const later = restartProcess(first, { tools: TOOLS, plans: [] });
  const saved = await later.journal.latestCheckpoint('run_1');
  expect(saved?.checkpoint_id).toBe('ck_run_1_3');
  const payload = JSON.parse((await later.journal.checkpoint('ck_run_1_3')).text);
  const { state } = await later.runtime.records.replay('run_1');
  expect(payload).toMatchObject({
    sequence: 3,
    plan_id: state.planning.active?.plan.plan_id,
    history: state.work.sealed,
    next_step: state.current?.stepId,
    after_step: 's2',
    critic_verdict: state.ending.verdict,
  });
  // The budget matches too: only the step in flight has reserved more since.
  expect(payload.budget).toMatchObject({
    tool_calls_used: state.budget?.used.tool_calls,
    steps_used: state.budget?.used.steps,
  });
  expect(await later.settle(later.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(later.dispatches.map(({ tool }) => tool)).toEqual(['three']);
  await expect(later.runtime.resume('run_9')).rejects.toMatchObject({ code: 'session_not_found' });
});
