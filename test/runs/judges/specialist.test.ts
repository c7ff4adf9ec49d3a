/** A stronger model takes over once after low confidence; its work is held to the same standard. */
import { expect, test } from 'vitest';
import type { Planner } from '../../../src/ports/model/planner.ts';
import { type ScriptedPlanner, scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import { CAPS, operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';
import { judge, judgeAnswer, judgedRig, repeatPlan, STEP } from './bench.ts';

const NO_REFLECTION = { ...CAPS, reflection_passes_max: 0 };
const withSpecialist: NonNullable<RigOptions['agent']> = (agent) => ({
  ...agent,
  boundary: { ...agent.boundary, escalation_paths: ['specialist_model', ...agent.boundary.escalation_paths] },
});

test('asks a stronger judge after a low score and uses its score', async () => {
  const bench = judgedRig([
    { says: [judgeAnswer(0.2, 'I do not understand it')], safer: [judgeAnswer(0.95, 'it is right')] },
  ]);
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  const all = await bench.events(runId);
  expect(eventsOf(all, 'judges_answered')).toMatchObject([
    { about: 'a', calls: [{ profile: 'reader-usual' }] },
    { about: 'a', safer: true, calls: [{ profile: 'reader-safer' }] },
  ]);
  expect(eventsOf(all, 'step_judged').map(({ scores }) => scores['judges'])).toEqual([0.2, 0.95]);
  const { state } = await bench.runtime.records.replay(runId);
  expect(state.work.scores.size).toBe(1);
  expect(state.budget?.used.reflection_passes).toBe(0);
});

test('asks a stronger judge once, then escalates to people', async () => {
  const bench = judgedRig([{ says: [judgeAnswer(0.2)], safer: ['no idea'] }], { caps: NO_REFLECTION });
  const { runId, authority, suspended } = await bench.invoke();
  expect(authority).toBe('review_queue');
  expect(suspended?.code).toBe('LOW_CONFIDENCE');
  expect(eventsOf(await bench.events(runId), 'judges_answered')).toHaveLength(2);
});

test('a score that is low but reliable gets no second judge', async () => {
  const bench = judgedRig([{ says: [judgeAnswer(0.65), judgeAnswer(1)], safer: [] }], { plans: repeatPlan(2) });
  const { runId } = await bench.invoke();
  expect(eventsOf(await bench.events(runId), 'judges_answered').filter(({ safer }) => safer === true)).toEqual([]);
});

interface SpecialistRig extends Rig {
  readonly stronger: ScriptedPlanner;
}

/** The first planner's work scores 0.3, the stronger planner's work scores `then`. */
function rigWithSpecialist(then: number, safer: Parameters<typeof scriptedPlanner>[0]): SpecialistRig {
  const stronger = scriptedPlanner(safer);
  const usual: Planner = { ...scriptedPlanner(repeatPlan(1)), safer: stronger };
  const bench = rig({
    tools: { work: { produces: ['done'] } },
    caps: NO_REFLECTION,
    agent: withSpecialist,
    options: { planner: usual } as RigOptions['options'] & object,
    world: { judges: [judge({ says: [judgeAnswer(0.3, 'made up'), judgeAnswer(then)] })] },
  });
  return { ...bench, stronger };
}

const OTHER = planOf([{ ...STEP, params: { carefully: true } }], { plan_id: 'plan_s' });

verifies(
  'escalate:low-score:specialist-or-reviewer',
  'the stronger model takes over, and the run continues only with validated work',
  async () => {
    const good = rigWithSpecialist(0.9, [OTHER]);
    const done = await good.invoke();
    expect(done.terminalCode).toBe('SUCCESS');
    const all = await good.events(done.runId);
    expect(eventsOf(all, 'run_escalated')).toMatchObject([
      { escalation: { trigger: 'low_confidence', severity: 'moderate', recipient: 'specialist_model', step_id: 'a' } },
    ]);
    expect(good.stronger.requests).toHaveLength(1);
    expect(good.stronger.requests[0]?.reason).toMatchObject({ code: 'low_confidence', step_id: 'a' });
    expect(good.dispatches.map(({ args }) => args)).toEqual([{}, { carefully: true }]);
    expect((await good.runtime.records.replay(done.runId)).state.planning.specialist).toBe('used');

    const bad = rigWithSpecialist(0.3, [OTHER]);
    const waits = await bad.invoke();
    expect(waits).toMatchObject({ status: 'paused', authority: 'review_queue', suspended: { code: 'LOW_CONFIDENCE' } });
    const path = eventsOf(await bad.events(waits.runId), 'run_escalated').map(({ escalation }) => escalation.recipient);
    expect(path).toEqual(['specialist_model', 'review_queue']);
    expect(bad.stronger.requests).toHaveLength(1);
  },
);

test('rejects an invalid plan of the stronger model', async () => {
  const bench = rigWithSpecialist(0.9, [planOf([{ id: 'a', tool: 'rob' }], { plan_id: 'plan_s' }), OTHER]);
  const { terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(bench.stronger.requests[1]?.reason).toMatchObject({ code: 'hallucinated_capability' });
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['work', 'work']);
});

test('escalates to people if the boundary names a specialist that is not configured', async () => {
  const bench = judgedRig([{ says: [judgeAnswer(0.3)] }], { caps: NO_REFLECTION, agent: withSpecialist });
  expect((await bench.invoke()).authority).toBe('review_queue');
});

test('rejects a stronger planner that the boundary never uses', () => {
  const planner = { ...scriptedPlanner([]), safer: scriptedPlanner([]) };
  expect(() => rig({ tools: { work: {} }, options: { planner } as RigOptions['options'] & object })).toThrow(
    /specialist_model/,
  );
});

test('hands the run over if the process that continues it has no stronger planner', async () => {
  const gated = { approval_mode: 'destructive', side_effect: true, gates: ['GATE_OWNER'], produces: ['done'] } as const;
  const options: RigOptions = { tools: { work: gated }, caps: NO_REFLECTION, agent: withSpecialist };
  const judgedLow = { judges: [judge({ says: [judgeAnswer(0.3, 'made up')] })] };
  const plans = repeatPlan(1, { requires: ['GATE_OWNER'] });
  const planner: Planner = { ...scriptedPlanner(plans), safer: scriptedPlanner([]) };
  const first = rig({ ...options, options: { planner } as RigOptions['options'] & object, world: judgedLow });
  const { runId, pending } = await first.invoke();
  const [gate] = pending;
  if (gate === undefined) throw new Error('no gate is open');
  const newer = restartProcess(first, { ...options, plans: [], world: judgedLow });
  const { gateId, packetHash } = gate;
  const approval = { packetHash, credential: operator('owner'), reason: 'seen' };
  const outcome = await newer.settle(newer.runtime.approve(gateId, approval));
  expect(outcome).toMatchObject({ status: 'paused', suspended: { reason: 'version_changed' } });
  expect(eventsOf(await newer.events(runId), 'plan_failed')[0]?.message).toBe(
    'the run was made with a safer planner, but this process has none',
  );
  expect(newer.dispatches.map(({ tool }) => tool)).toEqual(['work']);
});
