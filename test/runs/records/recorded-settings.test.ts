/** The settings behind a run are recorded: the origin of its caps, the reasons for its autonomy, prompts and controls. */
import { expect, test } from 'vitest';
import { ambit, modelClassifier } from '../../../src/compose.ts';
import { PROFILE_CAPS } from '../../../src/model/budget/budget-profile.ts';
import type { RunManifest } from '../../../src/model/run/manifest.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { accountAgent, CLOSE_IT } from '../intake/accounts.ts';
import { benchAgent, benchLane, laneRig } from '../lanes/bench.ts';
import { profileOf } from '../model-profile.ts';
import { CAPS, countingIds, operator, planOf, REQUEST, type Rig, type RigOptions, rig, START_MS } from '../rig.ts';

const FINISH = planOf([{ id: 's1', tool: 'finish' }]);
const finishing = (options: RigOptions = {}): Rig =>
  rig({ tools: { finish: { produces: ['done'] } }, plans: [FINISH], ...options });

async function manifestOf(bench: Pick<Rig, 'events'>, runId: string): Promise<RunManifest> {
  const begun = (await bench.events(runId)).find((event) => event.type === 'run_initialized');
  if (begun === undefined) throw new Error('the run has no manifest');
  return begun.manifest;
}

verifies(
  'budget:defaults:overridable-and-owner-labelled',
  'the trace names the profile of the caps, the overridden dimension and the one that a quota lowers',
  async () => {
    const bench = finishing({
      agent: (spec) => ({ ...spec, budget: { profile: 'standard', overrides: { tool_calls_max: 7 } } }),
      world: { policy: { quota: { steps_max: 9 } } },
    });
    const { runId } = await bench.invoke();
    const { caps, source } = (await bench.runtime.records.trace(runId)).budget_vector;
    expect(caps).toEqual({ ...PROFILE_CAPS.standard, tool_calls_max: 7, steps_max: 9 });
    expect(source).toEqual({ profile: 'standard', overridden: ['tool_calls'], limited_by_quota: ['steps'] });
    expect((await manifestOf(bench, runId)).budget).toEqual(source);
  },
);

verifies(
  'ladder:selection:lowest-sufficient-tier',
  'the manifest records why each lower tier is insufficient, and the stated reasons against sufficient ones',
  async () => {
    const reasons = [{ rank: 4, why: 'the repairs differ from case to case' }];
    const autonomy = { environment: 'sandbox', tier: 5, needs: ['structured_branching'], reasons } as const;
    const approved = finishing({ agent: (spec) => ({ ...spec, autonomy }) });
    const waiting = await approved.invoke();
    const recorded = (await manifestOf(approved, waiting.runId)).autonomy;
    expect(recorded?.needs).toEqual(['structured_branching']);
    expect(recorded?.insufficient).toEqual([
      ...[1, 2, 3].map((rank) => ({ rank, why: expect.stringContaining('it cannot offer structured_branching') })),
      ...reasons,
    ]);
  },
);

verifies(
  'topology:selection:least-autonomous-preferred',
  'an agent that names no topology is a state machine, and the manifest records the reason',
  async () => {
    const bench = finishing();
    const { runId } = await bench.invoke();
    expect((await manifestOf(bench, runId)).autonomy?.topology).toEqual({
      name: 'state_machine',
      why: 'state_machine is the least autonomous topology that can do the task',
    });
  },
);

test('an agent with lanes is recorded as a supervisor, and a swarm with the reason of its opt-in', async () => {
  const worker = benchAgent({ name: 'reader', tools: { look: { produces: ['done'] } }, plans: [planOf([])] });
  const boss = benchAgent({
    name: 'boss',
    tools: { finish: { produces: ['done'] } },
    lanes: [benchLane('delegate', worker)],
    caps: { ...CAPS, lanes_max: 1 },
    plans: [FINISH],
  });
  const lanes = laneRig([boss]);
  const supervised = await lanes.invoke();
  expect((await manifestOf(lanes, supervised.runId)).autonomy?.topology.name).toBe('supervisor_worker');

  const topology = { name: 'specialist_swarm', opt_in: 'a research project without users' };
  const swarm = finishing({ agent: (spec) => ({ ...spec, autonomy: { ...spec.autonomy, topology } }) });
  const { runId } = await swarm.invoke();
  expect((await manifestOf(swarm, runId)).autonomy?.topology).toEqual({
    name: 'specialist_swarm',
    why: 'specialist_swarm was asked for; state_machine is less autonomous and could do the task: a research project without users',
  });
});

verifies(
  'trace:models:role-versions',
  'a run that ended before it had a manifest names the model and the prompt that read its request',
  async () => {
    const clock = simulatedClock(START_MS);
    const model = scriptedModel([{ intent: 'none', confidence: 0.95 }]);
    const classifier = modelClassifier({ model: profileOf(model) });
    const runtime = ambit({ ...accountAgent([]), world: { clock, timer: clock, ids: countingIds(), classifier } });
    const goal = { ...CLOSE_IT, statement: 'How close is the account of Mars to the sun?' };
    const { runId } = await runtime.invoke({ ...REQUEST, intent: 'close', goal });
    expect(await runtime.records.trace(runId)).toMatchObject({
      workflow_graph_version: 'none',
      model_versions: { planner: 'none', executor: 'none', verifier: 'none', router: 'scripted-1' },
      prompt_template_versions: { classify: '2' },
    });
  },
);

verifies(
  'compress:threshold:pause-above-80-percent',
  'a host sets the threshold: a context above a quarter of its cap is compressed before the next model call',
  async () => {
    const compressions = async (compressAbove: number): Promise<number> => {
      const failing = {
        retries_max: 0,
        execute: () => {
          throw new Error('down');
        },
      };
      const bench = rig({
        tools: { fail: failing, finish: { produces: ['done'] } },
        plans: [planOf([{ id: 's1', tool: 'fail' }]), { ...FINISH, plan_id: 'plan_2' }],
        contextTokens: 25_001,
        options: { limits: { compressAbove } },
      });
      const { runId, terminalCode } = await bench.invoke();
      await bench.runtime.records.replay(runId);
      expect(terminalCode).not.toBeNull();
      return (await bench.events(runId)).filter(({ type }) => type === 'context_compressed').length;
    };
    expect(await compressions(0.25)).toBe(1);
    expect(await compressions(0.8)).toBe(0);
  },
);

test.each([0, 1.1, Number.NaN])('refuses %s as a threshold of compression', (compressAbove) => {
  expect(() => finishing({ options: { limits: { compressAbove } } })).toThrow(/compressAbove/);
});

const ALWAYS = [
  'plan_verification',
  'tool_allow_list',
  'approval_gates',
  'budget_vector',
  'loop_guard',
  'observation_grounding',
  'compiled_graph',
];

verifies(
  ['record:fields:required', 'policy:guardrails:always-on'],
  'controls_active lists the controls of every run and those of this run',
  async () => {
    const plain = finishing();
    const first = await plain.invoke();
    const { evaluator_versions } = await manifestOf(plain, first.runId);
    const evaluators = Object.entries(evaluator_versions).map(([name, version]) => `evaluator:${name}@${version}`);
    expect(first.record?.controls_active).toEqual([...ALWAYS, 'policy:no_rules@1', ...evaluators]);

    const guarded = rig({
      tools: { pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_PAY'], produces: ['done'] } },
      plans: [planOf([{ id: 's1', tool: 'pay', requires: ['GATE_PAY'] }])],
      agent: (spec) => ({ ...spec, boundary: { ...spec.boundary, profile: 'customer_support' } }),
      world: { policy: { plans: { version: 'house@3', invariants: () => [] } } },
    });
    const { pending } = await guarded.invoke();
    const [{ gateId = '', packetHash = '' } = {}] = pending;
    const done = await guarded.settle(
      guarded.runtime.approve(gateId, { packetHash, credential: operator('ana'), reason: 'seen' }),
    );
    expect(done.record?.controls_active).toEqual(
      expect.arrayContaining([...ALWAYS, 'policy:house@3', 'condition:identity_mismatch', 'gate:GATE_PAY']),
    );
  },
);
