/** Tests that a replay uses the versions that the run recorded, and no newer ones. */
import { expect, test } from 'vitest';
import type { Detector } from '../../../src/critic/step/safety.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import type { IntentSpec } from '../../../src/model/plan/intent.ts';
import type { PolicyEngine } from '../../../src/model/policy/policy-decision.ts';
import { replayRun } from '../../../src/replay/replay.ts';
import { verifies } from '../../requirements/verifies.ts';
import { partsOf } from '../graphs/kernel.ts';
import { DECISION, planOf, type RigOptions, rig } from '../rig.ts';
import { crashDuringCall, restartProcess } from './crashed-process.ts';

const goals = { check: () => ({ cleared: true, rule: null }) };
const LENIENT: PolicyEngine = { version: 'policy@1', invariants: () => [] };
const STRICT: PolicyEngine = {
  version: 'policy@2',
  invariants: () => [{ invariant: 'nothing_at_all', message: 'nothing is permitted any more' }],
};

const under = (plans: PolicyEngine, risk: IntentSpec['risk'] = 'low'): RigOptions => ({
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 's1', tool: 'finish' }])],
  agent: (agent) => ({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, risk })) }),
  world: { policy: { goals, plans } },
});

verifies('replay:input:versions', 'replays with the recorded policy, and rejects a newer one', async () => {
  const first = rig(under(LENIENT));
  const { runId, verdict } = await first.invoke();
  expect(verdict?.verdict).toBe('accept');
  // The new policy rejects this plan.
  const now = rig(under(STRICT));
  expect((await now.invoke()).verdict).toBeNull();

  const pinned = restartProcess(first, under(LENIENT));
  expect((await pinned.runtime.records.replay(runId)).state.ending.verdict).toBe('accept');
  const newer = restartProcess(first, under(STRICT));
  await expect(newer.runtime.records.replay(runId)).rejects.toMatchObject({
    code: 'replay_input_missing',
    message: expect.stringContaining('policy@1'),
  });
});

verifies('replay:input:versions', 'replays with the rubric that the run has stored', async () => {
  const first = rig(under(LENIENT));
  const { runId } = await first.invoke();
  const stricter = restartProcess(first, under(LENIENT, 'high'));
  const { state } = await stricter.runtime.records.replay(runId);
  expect(state.manifest?.rubric_version).toBe('lenient@1');
  expect(state.ending.verdict).toBe('accept');
  // Without the stored rubric, replay fails instead of using another.
  const [begun] = (await first.events(runId)).filter(({ type }) => type === 'run_initialized');
  const at = begun?.type === 'run_initialized' ? begun.decided_by : undefined;
  const lost = rig({
    ...under(LENIENT, 'high'),
    world: {
      ...under(LENIENT).world,
      journal: {
        ...first.journal,
        blob: async (address) => {
          if (address === at) throw new Fault('blob_missing', `${address} is gone`);
          return await first.journal.blob(address);
        },
      },
    },
  });
  await expect(lost.runtime.records.replay(runId)).rejects.toMatchObject({
    code: 'replay_input_missing',
    message: expect.stringContaining(String(at)),
  });
});

const PLAIN: RigOptions = {
  tools: { one: {}, two: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 's1', tool: 'one' },
      { id: 's2', tool: 'two', depends_on: ['s1'] },
    ]),
  ],
  options: { decisions: [DECISION] },
};

for (const [what, changed] of [
  ['tool registry', { ...PLAIN, tools: { one: { version: '2' }, two: { produces: ['done'] } } }],
  ['tool registry', { ...PLAIN, tools: { ...PLAIN.tools, three: {} } }],
  ['decision catalogue', { ...PLAIN, options: { decisions: [{ ...DECISION, version: '2' }] } }],
  ['decision catalogue', { ...PLAIN, options: {} }],
] as const satisfies readonly (readonly [string, RigOptions])[]) {
  verifies(
    'replay:input:versions',
    `replays and resumes a run with its own ${what} where this process has another`,
    async () => {
      const first = await crashDuringCall('two', PLAIN);
      const newer = restartProcess(first, { ...changed, plans: [] });
      const { state } = await newer.runtime.records.replay('run_1');
      expect(state).toEqual(
        (await restartProcess(first, { ...PLAIN, plans: [] }).runtime.records.replay('run_1')).state,
      );
      expect(await newer.settle(newer.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
      await newer.runtime.records.replay('run_1');
      await restartProcess(first, { ...PLAIN, plans: [] }).runtime.records.replay('run_1');
    },
  );
}

verifies('replay:input:versions', 'rejects a rubric of the same name with another evaluator version', async () => {
  const bench = rig(PLAIN);
  const { runId } = await bench.invoke();
  const { pins, critic } = partsOf(PLAIN);
  const { rubric } = pins.env;
  const evaluators = rubric.evaluators.map((name) => name.replace(/^schema@.*$/, 'schema@99'));
  const env = { ...pins.env, rubric: { ...rubric, evaluators } };
  const frames = await bench.runtime.records.frames(runId);
  expect(() => replayRun({ env, critic }, frames)).toThrow(
    expect.objectContaining({ code: 'replay_input_missing', message: expect.stringContaining('schema@99') }) as Error,
  );
});

const seeing = (...detectors: readonly Detector[]): RigOptions => ({ ...PLAIN, world: { policy: { detectors } } });
const LEAK: Detector = { name: 'leaked_key', version: '1', detect: () => null };

for (const [what, others] of [
  ['a newer version of a detector', [{ ...LEAK, version: '2' }]],
  ['no detector', []],
] as const satisfies readonly (readonly [string, readonly Detector[]])[]) {
  verifies('replay:input:versions', `neither replays nor resumes a run under ${what}`, async () => {
    const message = expect.stringMatching(/detectors? leaked_key@1/);
    const first = await crashDuringCall('two', seeing(LEAK));
    const [initialized] = (await first.events('run_1')).filter(({ type }) => type === 'run_initialized');
    expect(initialized).toMatchObject({ manifest: { detector_versions: { leaked_key: '1' } } });
    const newer = restartProcess(first, { ...seeing(...others), plans: [] });
    const missing = { code: 'replay_input_missing', message };
    await expect(newer.runtime.records.replay('run_1')).rejects.toMatchObject(missing);
    await expect(newer.runtime.resume('run_1')).rejects.toMatchObject({ code: 'version_changed', message });
    expect(newer.dispatches).toEqual([]);
    const same = restartProcess(first, { ...seeing(LEAK), plans: [] });
    await same.runtime.records.replay('run_1');
    expect(await same.settle(same.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
  });
}

verifies('replay:input:versions', 'replays and resumes with the recorded detectors if there are more', async () => {
  const first = await crashDuringCall('two', seeing(LEAK));
  const newer = restartProcess(first, { ...seeing(LEAK, { ...LEAK, name: 'injection' }), plans: [] });
  await newer.runtime.records.replay('run_1');
  expect(await newer.settle(newer.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
  await restartProcess(first, { ...seeing(LEAK), plans: [] }).runtime.records.replay('run_1');
});

test('rejects a detector that cannot be pinned when the runtime is created', () => {
  for (const detectors of [[{ ...LEAK, version: '' }], [{ ...LEAK, name: 'Leaked key' }], [LEAK, LEAK]]) {
    expect(() => rig(seeing(...detectors))).toThrow(
      expect.objectContaining({
        code: 'input_invalid',
        path: `/world/policy/detectors/${detectors.length - 1}`,
      }) as Error,
    );
  }
  const nameless = { detect: () => null } as unknown as Detector;
  expect(() => rig(seeing(nameless))).toThrow(expect.objectContaining({ code: 'input_invalid' }) as Error);
});
