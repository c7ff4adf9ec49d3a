/** A run is judged again by the versions that judged it, and by no newer ones. */
import { expect, test } from 'vitest';
import type { Detector } from '../../../src/critic/step/safety.ts';
import type { PolicyEngine } from '../../../src/kernel/verify/verify-context.ts';
import type { DecisionSpec } from '../../../src/model/decision.ts';
import { Fault } from '../../../src/model/fault.ts';
import type { IntentSpec } from '../../../src/model/intent.ts';
import { replayRun } from '../../../src/replay/replay.ts';
import { verifies } from '../../requirements/verifies.ts';
import { partsOf } from '../graphs/kernel.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { diesAt, nextLife } from './lives.ts';

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

verifies('replay:input:versions', 'the recorded policy is used, and a newer one never silently', async () => {
  const first = rig(under(LENIENT));
  const { runId, verdict } = await first.invoke();
  expect(verdict?.verdict).toBe('accept');
  // The new policy would have refused this very plan.
  const now = rig(under(STRICT));
  expect((await now.invoke()).verdict).toBeNull();

  const pinned = nextLife(first, under(LENIENT));
  expect((await pinned.runtime.replay(runId)).state.ending.verdict).toBe('accept');
  const newer = nextLife(first, under(STRICT));
  await expect(newer.runtime.replay(runId)).rejects.toMatchObject({
    code: 'replay_input_missing',
    message: expect.stringContaining('policy@1'),
  });
});

verifies(
  'replay:input:versions',
  'a run is judged again by the rubric it was judged by, which it has kept',
  async () => {
    const first = rig(under(LENIENT));
    const { runId } = await first.invoke();
    const stricter = nextLife(first, under(LENIENT, 'high'));
    const { state } = await stricter.runtime.replay(runId);
    expect(state.manifest?.rubric_version).toBe('lenient@1');
    expect(state.ending.verdict).toBe('accept');
    // Where it is gone, nothing is taken in its place.
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
    await expect(lost.runtime.replay(runId)).rejects.toMatchObject({
      code: 'replay_input_missing',
      message: expect.stringContaining(String(at)),
    });
  },
);

const DECISION: DecisionSpec = {
  decision_id: 'finishing',
  version: '1',
  description: 'Whether the work may be finished',
  evidence: [],
  approvals: [],
  controls: [],
  evaluators: [],
  accept_threshold: 0.5,
  risk_class: 'low',
  actions: [],
};

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
    `a run is taken again by its own ${what}, and not gone on with by another`,
    async () => {
      const refusal = { code: 'replay_input_missing', message: expect.stringContaining(`made with ${what} sha256:`) };
      const first = await diesAt('two', PLAIN);
      const newer = nextLife(first, { ...changed, plans: [] });
      const { state } = await newer.runtime.replay('run_1');
      expect(state).toEqual((await nextLife(first, { ...PLAIN, plans: [] }).runtime.replay('run_1')).state);
      await expect(newer.runtime.resume('run_1')).rejects.toMatchObject(refusal);
      expect(newer.dispatches).toEqual([]);
      const same = nextLife(first, { ...PLAIN, plans: [] });
      await same.runtime.replay('run_1');
      expect(await same.settle(same.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
    },
  );
}

verifies(
  'replay:input:versions',
  'a rubric of the same name that asks another version of an evaluator is another',
  async () => {
    const bench = rig(PLAIN);
    const { runId } = await bench.invoke();
    const { pins, critic } = partsOf(PLAIN);
    const { rubric } = pins.env;
    const evaluators = rubric.evaluators.map((name) => name.replace(/^schema@.*$/, 'schema@99'));
    const env = { ...pins.env, rubric: { ...rubric, evaluators } };
    const frames = await bench.runtime.frames(runId);
    expect(() => replayRun({ env, critic }, frames)).toThrow(
      expect.objectContaining({ code: 'replay_input_missing', message: expect.stringContaining('schema@99') }) as Error,
    );
  },
);

const seeing = (...detectors: readonly Detector[]): RigOptions => ({ ...PLAIN, world: { policy: { detectors } } });
const LEAK: Detector = { name: 'leaked_key', version: '1', detect: () => null };

for (const [what, others] of [
  ['a newer version of a detector', [{ ...LEAK, version: '2' }]],
  ['a detector more', [LEAK, { ...LEAK, name: 'injection' }]],
  ['no detector', []],
] as const satisfies readonly (readonly [string, readonly Detector[]])[]) {
  verifies('replay:input:versions', `a run is neither taken again nor gone on with under ${what}`, async () => {
    const refusal = { code: 'replay_input_missing', message: expect.stringContaining('detectors leaked_key@1') };
    const first = await diesAt('two', seeing(LEAK));
    const [initialized] = (await first.events('run_1')).filter(({ type }) => type === 'run_initialized');
    expect(initialized).toMatchObject({ manifest: { detector_versions: { leaked_key: '1' } } });
    const newer = nextLife(first, { ...seeing(...others), plans: [] });
    await expect(newer.runtime.replay('run_1')).rejects.toMatchObject(refusal);
    await expect(newer.runtime.resume('run_1')).rejects.toMatchObject(refusal);
    expect(newer.dispatches).toEqual([]);
    const same = nextLife(first, { ...seeing(LEAK), plans: [] });
    await same.runtime.replay('run_1');
    expect(await same.settle(same.runtime.resume('run_1'))).toMatchObject({ terminalCode: 'SUCCESS' });
  });
}

test('a detector that cannot be pinned is refused before anything runs', () => {
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
