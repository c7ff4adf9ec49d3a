/** Tests evaluators and rubrics of a host: they judge live runs, are pinned, and replay needs the same version. */
import { describe, expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { EventOf } from '../../../src/model/events/event.ts';
import type { Rubric } from '../../../src/records.ts';
import type { Evaluator, RunCase, StepCase } from '../../../src/store.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

type Policy = NonNullable<NonNullable<RigOptions['world']>['policy']>;

/** Judges the length of the text that a tool wrote. */
const brevity = (version = '1', longest = 15): Evaluator<StepCase> => ({
  name: 'brevity',
  version,
  assess: ({ output }) => ({ score: JSON.stringify(output).length <= longest ? 1 : 0.65, note: 'length of the text' }),
});

/** An evaluator with another assessment. */
const judging = (assess: Evaluator<StepCase>['assess']): Evaluator<StepCase> => ({ ...brevity(), assess });

const TOOLS: NonNullable<RigOptions['tools']> = {
  write: { produces: ['done'], execute: async ({ text }) => ({ text: text ?? '' }) },
};
const letter = (text: string) => planOf([{ id: 's1', tool: 'write', params: { text } }]);

const OWN: Rubric = {
  name: 'brief',
  version: '1',
  evaluators: ['policy@1', 'safety@1', 'grounding@1', 'goal@1', 'brevity@1'],
  accept: 0.6,
  confidence: 0.5,
  floors: { policy: 1 },
};

const open = (policy: Policy, changes: Partial<RigOptions> = {}): Rig => {
  const { world, ...rest } = changes;
  return rig({
    tools: TOOLS,
    plans: [letter('much too long a text'), letter('hi')],
    options: { limits: { onEscalate: 'end' } },
    ...rest,
    world: { ...world, policy },
  });
};

async function judgements(bench: Rig, runId: string): Promise<readonly EventOf<'step_judged'>[]> {
  return (await bench.events(runId)).filter((event) => event.type === 'step_judged');
}

verifies(
  'score:evaluators:user-supplied-rubric',
  'the verdict follows an own evaluator below its threshold',
  async () => {
    const bench = open({ evaluators: { step: [brevity()] } });
    const outcome = await bench.invoke();
    expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.planner.requests.map(({ reason }) => reason?.code ?? null)).toEqual([null, expect.any(String)]);
    expect((await judgements(bench, outcome.runId)).map(({ scores }) => scores['brevity'])).toEqual([0.65, 1]);
    const begun = (await bench.events(outcome.runId)).find((event) => event.type === 'run_initialized');
    expect(begun).toMatchObject({ manifest: { evaluator_versions: { brevity: '1', policy: '1' } } });
    expect(await bench.runtime.records.replay(outcome.runId)).toBeDefined();

    const without = open({});
    expect(await without.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(without.planner.requests).toHaveLength(1);
  },
);

verifies('score:evaluators:user-supplied-rubric', 'an own rubric sets the thresholds and the evaluators', async () => {
  const lenient = open({ evaluators: { step: [brevity()] }, rubric: OWN });
  const accepted = await lenient.invoke();
  expect(accepted).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(lenient.planner.requests).toHaveLength(1);
  expect((await judgements(lenient, accepted.runId))[0]?.scores).toMatchObject({ brevity: 0.65 });
  expect(await lenient.runtime.records.replay(accepted.runId)).toBeDefined();

  const strict = open({ evaluators: { step: [brevity()] }, rubric: { ...OWN, floors: { policy: 1, brevity: 0.7 } } });
  const refused = await strict.invoke();
  expect(refused).toMatchObject({ terminalCode: 'VALIDATION_FAIL', reason: 'below_floor' });
  expect(strict.dispatches).toHaveLength(1);
});

test('an own evaluator judges the run as well', async () => {
  const seen: number[] = [];
  const steps: Evaluator<RunCase> = {
    name: 'few_steps',
    version: '1',
    assess: (c) => {
      seen.push(c.steps.length);
      return { score: c.steps.length > 5 ? 1 : 0.1 };
    },
  };
  const bench = open({ evaluators: { run: [steps] } }, { plans: [letter('hi'), letter('hello')] });
  const outcome = await bench.invoke();
  expect(new Set(seen)).toEqual(new Set([1]));
  expect(outcome.terminalCode).not.toBe('SUCCESS');
  expect(bench.planner.requests.length).toBeGreaterThan(1);
  expect(await bench.runtime.records.replay(outcome.runId)).toBeDefined();
});

describe('an evaluator that gives no score ends the run', () => {
  test.each<[string, Evaluator<StepCase>['assess']]>([
    [
      'a throw',
      () => {
        throw new Error('no rule fits');
      },
    ],
    ['a promise', (async () => ({ score: 1 })) as unknown as Evaluator<StepCase>['assess']],
    ['a score above 1', () => ({ score: 2 })],
    [
      'a change of the case',
      ({ args }) => {
        (args as { text: string }).text = 'short';
        return { score: 1 };
      },
    ],
  ])('%s', async (_, assess) => {
    const bench = open({ evaluators: { step: [judging(assess)] } });
    const outcome = await bench.invoke();
    expect(outcome).toMatchObject({ terminalCode: 'VALIDATION_FAIL', reason: 'evaluator_failed' });
    expect(await bench.runtime.records.replay(outcome.runId)).toBeDefined();
  });
});

describe('another version of an evaluator', () => {
  const GATED: NonNullable<RigOptions['tools']> = {
    write: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_SEND'], produces: ['done'] },
  };
  const plan = planOf([{ id: 's1', tool: 'write', params: { text: 'hi' }, requires: ['GATE_SEND'] }]);
  const [first, second] = [brevity('1', 50), brevity('2', 50)];

  async function deploy(policy: Policy) {
    const world = { journal: memoryJournal({ hash: sha256 }) };
    const before = open({ evaluators: { step: [first] } }, { tools: GATED, plans: [plan], world });
    const waiting = await before.invoke();
    const after = open(policy, { tools: GATED, plans: [], world });
    const [gate] = waiting.pending;
    const answer = { packetHash: gate?.packetHash ?? '', credential: operator('lead_1'), reason: 'seen' };
    const approve = () => after.settle(after.runtime.approve(gate?.gateId ?? '', answer));
    return { runId: waiting.runId, after, approve };
  }

  verifies('score:evaluators:user-supplied-rubric', 'is refused at resume with both versions named', async () => {
    const { after, approve, runId } = await deploy({ evaluators: { step: [second] } });
    await expect(approve()).rejects.toMatchObject({
      code: 'version_changed',
      message: expect.stringContaining('made with evaluator brevity@1, but this process has brevity@2'),
    });
    expect(after.dispatches).toEqual([]);
    const cancel = { type: 'run_cancelled', by: 'agt_worker', reason: 'no longer needed' };
    expect(await after.runtime.sessions.send(runId, cancel)).toMatchObject({ terminalCode: 'USER_CANCEL' });
  });

  test('does not matter while the earlier version is there too', async () => {
    const { after, approve } = await deploy({ evaluators: { step: [first, second] } });
    const ended = await approve();
    expect(ended).toMatchObject({ terminalCode: 'SUCCESS' });
    expect((await judgements(after, ended.runId))[0]?.criteria).toMatchObject({ 'brevity@1': 1 });
  });

  verifies('score:evaluators:user-supplied-rubric', 'cannot re-derive the run, and replay names it', async () => {
    const world = { journal: memoryJournal({ hash: sha256 }) };
    const { runId } = await open({ evaluators: { step: [brevity()] } }, { world }).invoke();
    for (const [policy, here] of [
      [{}, 'no such evaluator'],
      [{ evaluators: { step: [second] } }, 'brevity@2'],
    ] as const) {
      await expect(open(policy, { world }).runtime.records.replay(runId)).rejects.toMatchObject({
        code: 'replay_input_missing',
        message: `cannot re-derive this run: the run was made with evaluator brevity@1, but this process has ${here}`,
      });
    }
  });

  verifies('score:evaluators:user-supplied-rubric', 'is reported by what-if', async () => {
    const bench = open({ evaluators: { step: [brevity('1', 50)] } });
    const { runId } = await bench.invoke();
    const rubric = { ...OWN, accept: 0.7, evaluators: [...OWN.evaluators.slice(0, 4), 'brevity@2'] };
    const found = await bench.runtime.records.whatIf(runId, { evaluators: { step: [brevity('2', 5)] }, rubric });
    expect(found.decisions).not.toEqual([]);
  });
});

describe('ambit() refuses', () => {
  test.each<[string, Policy, string]>([
    ['a value for an evaluator', { evaluators: { step: [{} as never] } }, '/world/policy/evaluators/step/0'],
    ['a shipped name', { evaluators: { step: [{ ...brevity(), name: 'policy' }] } }, '/world/policy/evaluators'],
    ['a version with a space', { evaluators: { step: [brevity('a b')] } }, '/world/policy/evaluators'],
    ['an unknown kind', { evaluators: { steps: [] } as never }, '/world/policy/evaluators/steps'],
    ['a rubric with an unknown evaluator', { rubric: OWN }, '/world/policy/rubric/evaluators'],
    [
      'a rubric without the policy floor',
      { evaluators: { step: [brevity()] }, rubric: { ...OWN, floors: {} } },
      '/world/policy/rubric/floors/policy',
    ],
    [
      'a rubric without the safety evaluator',
      { evaluators: { step: [brevity()] }, rubric: { ...OWN, evaluators: ['policy@1', 'grounding@1'] } },
      '/world/policy/rubric/evaluators',
    ],
    ['a shipped rubric name', { rubric: { ...OWN, name: 'strict' } }, '/world/policy/rubric/name'],
    ['an invalid rubric', { rubric: { name: 'brief' } as never }, '/world/policy/rubric/version'],
  ])('%s', (_, policy, path) => {
    expect(() => open(policy)).toThrow(expect.objectContaining({ code: 'input_invalid', path }));
  });
});
