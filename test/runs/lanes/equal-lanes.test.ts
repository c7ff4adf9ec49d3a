/** A sub-task is given to a lane once: an equal lane in the same run is a loop, unless the earlier one failed. */
import { expect, test } from 'vitest';
import type { LaneTool } from '../../../src/agent/lane.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, handoverPacket, planOf, type RigTool } from '../rig.ts';
import { benchAgent, benchLane, type LaneRig, laneRig } from './bench.ts';

const LOOKING = planOf([{ id: 'a', tool: 'look' }]);

const delegated = (id: string, params: JsonObject, after: readonly string[] = []): PlanStep => ({
  id,
  tool: 'delegate',
  params,
  depends_on: after,
});

/** A supervisor with one worker, which plans its look-up once for each lane. */
function bossRig(plans: readonly unknown[], look: RigTool = {}, change = (lane: LaneTool): LaneTool => lane): LaneRig {
  const worker = benchAgent({
    name: 'reader',
    tools: { look: { produces: ['done'], retries_max: 0, ...look } },
    plans: [LOOKING, LOOKING, LOOKING],
  });
  const lanes = [change(benchLane('delegate', worker))];
  const caps = { ...CAPS, lanes_max: 5, replan_attempts_max: 2 };
  return laneRig([benchAgent({ name: 'boss', tools: { finish: { produces: ['done'] } }, lanes, caps, plans })]);
}

const TWICE = planOf([delegated('s1', { of: 'march' }), delegated('s2', { of: 'march' }, ['s1'])]);

verifies('loopguard:reason:never-silent', 'stops before a lane for the same sub-task as an earlier lane', async () => {
  const rig = bossRig([TWICE]);
  const run = await rig.invoke();
  expect(run).toMatchObject({ status: 'paused', reason: 'loop_detected', verdict: { loop_guard_trips: 1 } });
  expect(await rig.lanes(run.runId)).toHaveLength(1);
  const [escalated] = await rig.of(run.runId, 'run_escalated');
  const [cleared] = await rig.of(run.runId, 'step_cleared');
  expect(escalated?.stop).toEqual({
    code: 'REVIEW_REQUIRED',
    reason: 'loop_detected',
    detail: { kind: 'duplicate_subtask', tool: 'delegate', args_hash: cleared?.args_hash, count: 2, limit: 1 },
  });
  expect((await rig.runtime.records.diagnose(run.runId)).map(({ family }) => family)).toContain(
    'redundant_decomposition',
  );
  await rig.runtime.records.replay(run.runId);
});

test('a person may allow one more lane for the sub-task', async () => {
  const rig = bossRig([TWICE]);
  const waiting = await rig.invoke();
  const decision = { type: 'escalation_decided', decision: 'continue', reason: 'look again' } as const;
  const sent = { ...decision, by: 'ana', ...handoverPacket(waiting) };
  const run = await rig.settle(rig.runtime.sessions.send(waiting.runId, sent));
  expect(run.terminalCode).toBe('SUCCESS');
  expect(await rig.lanes(run.runId)).toHaveLength(2);
});

test('lanes for different sub-tasks are opened', async () => {
  const rig = bossRig([planOf([delegated('s1', { of: 'march' }), delegated('s2', { of: 'april' }, ['s1'])])]);
  const run = await rig.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  expect(await rig.lanes(run.runId)).toHaveLength(2);
});

test('a sub-task whose lane failed is given to another lane', async () => {
  let looks = 0;
  const execute = (): { readonly ok: boolean } => {
    looks += 1;
    if (looks === 1) throw new Error('down');
    return { ok: true };
  };
  const again = planOf([delegated('s3', { of: 'march' })], { plan_id: 'plan_2' });
  const rig = bossRig([planOf([delegated('s1', { of: 'march' })]), again], { execute });
  const run = await rig.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  expect(await rig.lanes(run.runId)).toHaveLength(2);
});

test('the GPU time of a lane is part of the cost of its parent', async () => {
  const rig = bossRig([planOf([delegated('s1', {})])], {
    execute: (_, { reportGpuMs }) => {
      reportGpuMs(1_500);
      return { ok: true };
    },
  });
  const run = await rig.invoke();
  expect(run.usage).toMatchObject({ gpuMs: 1_500, toolCalls: 1 });
  expect(run.cost.terms.find(({ unit }) => unit === 'gpu_second')?.amount).toBe(1.5);
  await rig.runtime.records.replay(run.runId);
});
