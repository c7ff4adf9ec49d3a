/** Tests that every verdict leaves a checkpoint with the complete progress of the run. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { budgetSnapshot } from '../../../src/kernel/budget/view.ts';
import { elapsedMs } from '../../../src/kernel/state/lifecycle.ts';
import { vecToArray } from '../../../src/kernel/state/vec.ts';
import { type Checkpoint, expandCheckpoints, StoredCheckpoint } from '../../../src/model/events/checkpoint.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const LONG_RUNNING = { mode: 'long_running', runtime: { max_session_duration_ms: 3_600_000 } };

function options(): RigOptions {
  let failures = 2;
  return {
    tools: {
      one: { produces: ['a'] },
      two: { produces: ['b'] },
      flaky: {
        retries_max: 1,
        execute: () => {
          if (failures-- > 0) throw new Error('reset');
          return { ok: true };
        },
      },
      finish: { produces: ['done'] },
    },
    plans: [
      planOf([
        { id: 's1', tool: 'one' },
        { id: 's2', tool: 'two', depends_on: ['s1'] },
        { id: 's3', tool: 'flaky', depends_on: ['s2'] },
      ]),
      planOf([{ id: 's4', tool: 'finish' }], { plan_id: 'plan_2' }),
    ],
  };
}

/** Reads all checkpoints of a run: oldest first, lists expanded and checked against their root. */
async function checkpointsOf({ journal, runtime }: Rig, runId: string): Promise<readonly Checkpoint[]> {
  const { state } = await runtime.records.replay(runId);
  const lists = {
    tool_transcripts: vecToArray(state.work.transcripts),
    evidence_refs: vecToArray(state.work.evidence),
    step_scores: vecToArray(state.work.scores),
  };
  const ids = Array.from({ length: state.counters.checkpoints }, (_, n) => `ck_${runId}_${n + 1}`);
  const stored = await Promise.all(ids.map((id) => journal.checkpoint(id)));
  const read = stored.map(({ text }) => StoredCheckpoint.parse(JSON.parse(text)));
  return expandCheckpoints(read, lists, sha256);
}

verifies('checkpoint:cadence:after-every-verdict', 'writes one checkpoint for every verdict', async () => {
  const bench = rig(options());
  const { runId } = await bench.invoke(LONG_RUNNING);
  const saved = await checkpointsOf(bench, runId);
  expect(saved.map(({ critic_verdict, after_step }) => [critic_verdict, after_step])).toEqual([
    ['ok', null],
    ['accept', 's1'],
    ['accept', 's2'],
    ['retry', 's3'],
    ['replan', 's3'],
    ['ok', null],
    ['accept', 's4'],
    ['accept', null],
  ]);
  expect(saved.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

verifies('checkpoint:cadence:after-every-verdict', 'writes one for an escalation, too', async () => {
  const bench = rig({ ...options(), plans: ['no plan', 'no plan', 'no plan'] });
  const { runId } = await bench.invoke(LONG_RUNNING);
  const saved = await checkpointsOf(bench, runId);
  expect(saved.at(-1)?.critic_verdict).toBe('escalate');
});

verifies(
  [
    'checkpoint:payload:plan-id',
    'checkpoint:payload:next-step',
    'checkpoint:payload:evidence-refs',
    'checkpoint:payload:step-scores',
    'checkpoint:payload:transcript-ids',
  ],
  'contains plan, next step, evidence, scores and transcripts up to the verdict',
  async () => {
    const bench = rig(options());
    const { runId, verdict } = await bench.invoke(LONG_RUNNING);
    const saved = await checkpointsOf(bench, runId);
    expect(saved[2]).toMatchObject({
      plan_id: 'plan_1',
      next_step: 's3',
      evidence_refs: ['ev_1', 'ev_2'],
      step_scores: verdict?.step_scores.slice(0, 2),
      tool_transcripts: ['call_1', 'call_2'],
    });
    expect(saved[2]?.step_scores).toHaveLength(2);
    expect(saved[6]).toMatchObject({ plan_id: 'plan_2', next_step: null });
    expect(saved[6]?.step_scores).toEqual(verdict?.step_scores);
    const events = await bench.events(runId);
    for (const id of saved.at(-1)?.tool_transcripts ?? []) {
      const types = events.filter((event) => 'call_id' in event && event.call_id === id).map(({ type }) => type);
      expect(types.slice(0, 2)).toEqual(['step_attempted', 'step_observed']);
    }
  },
);

verifies('checkpoint:payload:next-step', 'points to the step that is dispatched next', async () => {
  const bench = rig(options());
  const { runId } = await bench.invoke(LONG_RUNNING);
  const { turns } = await bench.runtime.records.replay(runId);
  const saved = await checkpointsOf(bench, runId);
  const accepted = turns.filter(({ checkpoints }) =>
    checkpoints.some(({ checkpointId }) => checkpointId.endsWith('_3')),
  );
  expect(accepted.map(({ state }) => state.current?.stepId)).toEqual([saved[2]?.next_step]);
});

verifies('checkpoint:payload:budget-snapshot', 'contains the budget counters of one instant', async () => {
  const bench = rig(options());
  const { runId } = await bench.invoke(LONG_RUNNING);
  const saved = await checkpointsOf(bench, runId);
  const counted = ['tool_calls_used', 'steps_used', 'retry_total_used', 'replan_attempts_used'];
  expect(saved.map(({ budget }) => counted.map((name) => budget?.[name]))).toEqual([
    [0, 0, 0, 0],
    [1, 1, 0, 0],
    [2, 2, 0, 0],
    [3, 3, 1, 0],
    [4, 3, 1, 0],
    [4, 3, 1, 1],
    [5, 4, 1, 1],
    [5, 4, 1, 1],
  ]);
  const { state } = await bench.runtime.records.replay(runId);
  expect(saved.at(-1)?.budget).toEqual(state.budget && budgetSnapshot(state.budget, elapsedMs(state)));
});

verifies('checkpoint:terminal:on-session-expiry', 'writes a last checkpoint when the session expires', async () => {
  const bench = rig({
    ...options(),
    plans: [
      planOf([
        { id: 's1', tool: 'one' },
        { id: 's2', tool: 'two', depends_on: ['s1'] },
        { id: 's3', tool: 'finish', depends_on: ['s2'], approval_mode: 'network', requires: ['GATE_DESK'] },
      ]),
    ],
    options: { limits: { gateTtlMs: 7_200_000 } },
  });
  const { runId } = await bench.invoke(LONG_RUNNING);
  bench.clock.advanceTo(bench.clock.nowMs() + 3_600_000);
  expect(await bench.runtime.resume(runId)).toMatchObject({ status: 'expired', reason: 'session_expired' });
  const saved = await checkpointsOf(bench, runId);
  expect(saved.map(({ terminal }) => terminal)).toEqual([false, false, false, true]);
  expect(saved.at(-1)).toMatchObject({
    critic_verdict: null,
    after_step: 's2',
    next_step: 's3',
    tool_transcripts: ['call_1', 'call_2'],
    evidence_refs: ['ev_1', 'ev_2'],
    budget: { tool_calls_used: 2 },
  });
});
