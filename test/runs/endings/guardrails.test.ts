/** Tests that no option and no request switches off a control. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';
import { eventsOf } from './turns.ts';

const ID = 'policy:guardrails:always-on';

const CONTROLS = [
  'plan_verification',
  'tool_allow_list',
  'approval_gates',
  'budget_vector',
  'loop_guard',
  'observation_grounding',
  'compiled_graph',
];

/** The controls of every run, then the policy and the evaluators that its manifest pins. */
async function controlsIn(run: Rig, runId: string): Promise<readonly string[]> {
  const [begun] = eventsOf(await run.events(runId), 'run_initialized');
  const evaluators = Object.entries(begun?.manifest.evaluator_versions ?? {});
  return [...CONTROLS, 'policy:no_rules@1', ...evaluators.map(([name, version]) => `evaluator:${name}@${version}`)];
}

/** Options that would switch a control off, none of which exists. */
const OFF: readonly object[] = [
  { verification: false },
  { verify: false },
  { gates: false },
  { approvals: 'auto' },
  { loopGuard: false },
  { guardrails: 'off' },
  { limits: { verification: false } },
  { limits: { gates: false } },
  { limits: { loop_guard: { calls: 9_999 } } },
];

const TOOLS = {
  read: {},
  pay: { approval_mode: 'destructive', gates: ['GATE'], produces: ['done'] },
} as const;

const bench = (...plans: readonly unknown[]): Rig =>
  rig({ tools: TOOLS, plans, options: { limits: { onEscalate: 'end' } } });

verifies(ID, 'rejects every option that would switch a control off', () => {
  for (const change of OFF) {
    const options = change as NonNullable<RigOptions['options']>;
    expect(() => rig({ tools: TOOLS, options })).toThrow(expect.objectContaining({ code: 'input_invalid' }) as Error);
  }
});

verifies(ID, 'verifies plans', async () => {
  const run = bench(...[1, 2, 3].map((n) => planOf([{ id: 'a', tool: 'rm_rf', params: { n } }])));
  const outcome = await run.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'VALIDATION_FAIL' });
  expect(run.dispatches).toEqual([]);
  expect(outcome.record?.controls_active).toEqual(await controlsIn(run, outcome.runId));
});

verifies(ID, 'keeps gates closed', async () => {
  const run = bench(planOf([{ id: 'a', tool: 'pay', requires: ['GATE'] }]));
  expect(await run.invoke()).toMatchObject({ status: 'awaiting_gate' });
  expect(run.dispatches).toEqual([]);
});

verifies(ID, 'stops loops', async () => {
  const steps = [1, 2, 3, 4].map((n) => ({ id: `s${n}`, tool: 'read' }));
  const run = bench(planOf([...steps, { id: 'end', tool: 'pay', requires: ['GATE'] }]));
  const outcome = await run.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'REVIEW_REQUIRED', reason: 'loop_detected' });
  expect(run.dispatches).toHaveLength(3);
  expect(outcome.record?.controls_active).toEqual(await controlsIn(run, outcome.runId));
});

verifies(ID, 'rejects a request that would switch a control off', async () => {
  const run = bench();
  for (const change of [{ verification: false }, { options: { gates: false } }, { runtime: { loop_guard: false } }]) {
    await expect(run.invoke(change)).rejects.toMatchObject({ code: 'envelope_invalid' });
  }
});

verifies(ID, 'records every active control by name', async () => {
  const run = bench(planOf([{ id: 'a', tool: 'pay', requires: ['GATE'] }]));
  const { pending } = await run.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  const done = await run.settle(
    run.runtime.approve(gateId, { packetHash, credential: operator('boss'), reason: 'ok' }),
  );
  expect(done.record?.controls_active).toEqual([...(await controlsIn(run, done.runId)), 'gate:GATE']);
  expect(eventsOf(await run.events(done.runId), 'plan_verified')).toHaveLength(1);
});
