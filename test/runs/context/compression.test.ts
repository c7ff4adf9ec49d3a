/** A model compresses a crowded context once, and the result is checked against the run's state. */
import { expect, test } from 'vitest';
import { memoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { World } from '../../../src/agent/world.ts';
import { modelReviewer } from '../../../src/compose.ts';
import { DROPPED_CLASSES, KEPT_CLASSES } from '../../../src/model/evidence/compression.ts';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import type { ModelProfile } from '../../../src/ports/model/language-model.ts';
import type { Planner, PlanRequest } from '../../../src/ports/model/planner.ts';
import { type ModelTurn, type ScriptedModel, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { judge, judgeAnswer } from '../judges/bench.ts';
import { DAY_MS, withMemorySetting } from '../memory/bench.ts';
import { profileOf } from '../model-profile.ts';
import { type Behaviour, planOf, type Rig, type RigOptions, rig, START_MS } from '../rig.ts';

const CHATTER = 'I wonder whether I should have looked twice. '.repeat(200);

/** Reads the names of everything to keep from the prompt, as a model would. */
function allNames(prompt: string): Record<string, readonly string[]> {
  return Object.fromEntries(
    KEPT_CLASSES.map((name) => {
      const line = prompt.split('\n').find((each) => each.startsWith(`- ${name}: `)) ?? '';
      return [name, JSON.parse(line.slice(`- ${name}: `.length)) as readonly string[]];
    }),
  );
}

const REFLECTED = { cause: CHATTER, advice: 'Look twice.' };

/** A model that answers compression prompts with `answer` and reflection prompts with a long text. */
function modelAnswering(answer: (kept: Record<string, readonly string[]>) => ModelTurn): ScriptedModel {
  const inner = scriptedModel([]);
  const prompts: ScriptedModel['prompts'][number][] = [];
  return {
    ...inner,
    prompts,
    generate: async (prompt, parameters, signal) => {
      prompts.push(prompt);
      if (prompt.role === 'reflector') return await scriptedModel([REFLECTED]).generate(prompt, parameters, signal);
      const turn = answer(allNames(prompt.messages.map(({ text }) => text).join('\n')));
      return await scriptedModel([turn]).generate(prompt, parameters, signal);
    },
  };
}

const PROFILE = (model: ScriptedModel): ModelProfile =>
  profileOf(model, { name: 'compressor', price: { input: 1_000_000, output: 2_000_000 } });

interface CrowdedRun {
  readonly bench: Rig;
  readonly model: ScriptedModel;
  readonly requests: readonly PlanRequest[];
  /** The number of scratchpad notes at each planner call. */
  readonly notes: readonly number[];
}

/**
 * A run with two earlier plans, a finished call, an assumption, notes, a reflection and a context item that repeats an
 * observation.
 */
function crowdedRun(
  model: ScriptedModel,
  judges: World['judges'] = [],
  trusted = true,
  { memory, finish }: { memory?: World['memory']; finish?: Behaviour } = {},
): CrowdedRun {
  const requests: PlanRequest[] = [];
  const notes: number[] = [];
  let failing = judges.length === 0;
  const plans = [
    planOf([{ id: 'look', tool: 'look' }]),
    planOf([{ id: 'flaky', tool: 'flaky' }], {
      plan_id: 'plan_2',
      assumptions: [{ id: 'open', statement: 'It is open.', step: 'flaky', path: '/open', equals: true }],
    }),
    planOf([{ id: 'end', tool: 'finish' }], { plan_id: 'plan_3' }),
  ];
  const propose: Planner['propose'] = async (request, _signal, _client, _check, pad) => {
    requests.push(request);
    notes.push(pad.notes().length);
    pad.note(CHATTER);
    const contextTokens = requests.length === 1 ? 0 : 90_000;
    const spent = NO_COST;
    return { proposal: plans[requests.length - 1] ?? null, author: 'host' as const, spent, contextTokens };
  };
  const item = (key: string, type: string, value: Json) => ({
    key,
    type,
    value,
    source_id: 'crm',
    permission_scope: 'all',
    observed_at: START_MS,
    fresh_until: START_MS + 3_600_000,
    trusted: true,
    authority: 1,
    personal_data: false,
  });
  const context = {
    context_id: 'context_1',
    pack_pin: 'ctxpack.bench@1.0.0',
    snapshot_pin: 'kg_1',
    items: [item('told', 'order', 'x'.repeat(300_000)), item('needed', 'hint', 'keep me')],
    compiled_at: START_MS,
    memory_snapshot: null,
  };
  const world: Partial<World> = {
    context,
    reviewer: modelReviewer({ model: PROFILE(model) }),
    judges,
    ...(memory && { memory }),
  };
  const plannerCost = { input_tokens: 50_000, output_tokens: 5_000, microusd: 1_000_000 };
  // Runs with a judge decide one step at a time: earlier reasoning is in the history instead of the scratchpad.
  const mode = judges.length === 0 ? {} : { graph: 'reactive', limits: { planning: 'stepwise' } };
  const options = { ...mode, planner: { propose, cost: plannerCost } } as unknown as NonNullable<RigOptions['options']>;
  const bench = rig({
    tools: {
      look: { trusted, produces: ['order'], execute: () => ({ total: 42 }) },
      flaky: {
        retries_max: 0,
        execute: () => {
          if (!failing) return { open: true };
          failing = false;
          throw new Error('not now');
        },
      },
      finish: { produces: ['done'], ...(finish && { execute: finish }) },
    },
    options,
    world,
    ...(memory && { agent: withMemorySetting('proposed') }),
  });
  return { bench, model, requests, notes };
}

verifies(
  ['compress:preserve:seven-item-classes', 'compress:discard:five-item-classes'],
  'keeps what must be kept, leaves only pointers to the rest, and continues the run',
  async () => {
    const model = modelAnswering((kept) => ({ kept, dropped: [], digest: 'The second tool failed once.' }));
    const { bench, requests, notes } = crowdedRun(model);
    const outcome = await bench.invoke();
    expect(outcome.terminalCode).toBe('SUCCESS');
    const events = await bench.events(outcome.runId);
    const [compressed] = eventsOf(events, 'context_compressed');
    const { turns } = await bench.runtime.records.replay(outcome.runId);
    const at = turns.findIndex(({ events: made }) => made.some(({ type }) => type === 'context_compressed'));
    const [before, after] = [turns[at - 1]?.state, turns[at]?.state];
    expect(after?.intake).toEqual(before?.intake);
    expect(after?.planning.active).toEqual(before?.planning.active);
    expect(after?.work).toEqual(before?.work);
    expect(after?.people).toEqual(before?.people);
    expect(after?.budget?.caps).toEqual(before?.budget?.caps);
    expect(compressed).toMatchObject({ lost: [], digest: 'The second tool failed once.' });
    expect(compressed?.demoted).toEqual(
      expect.arrayContaining([
        'context:told',
        'assumption:open',
        'plans_before:plan_2',
        expect.stringMatching(/^note_/),
      ]),
    );
    // The planner sees none of the demoted items, and everything else as before.
    const last = requests.at(-1);
    expect(last?.context.items.map(({ key }) => key)).toEqual(['needed']);
    expect(last?.digest).toBe('The second tool failed once.');
    expect(last?.done.map(({ value }) => value)).toEqual([{ total: 42 }]);
    expect(notes).toEqual([0, 0, 0]);
    // One model call, recorded and charged.
    expect(compressed?.calls).toMatchObject([{ role: 'compressor', template: 'compress@1', outcome: 'answered' }]);
    expect(compressed?.spent).toMatchObject({ input_tokens: 100, output_tokens: 50 });
    expect(model.prompts).toHaveLength(1);
  },
);

for (const name of KEPT_CLASSES) {
  verifies(
    'compress:preserve:seven-item-classes',
    `rejects a compression that drops some of ${name}, and halts the run`,
    async () => {
      const model = modelAnswering((kept) => ({
        kept: { ...kept, [name]: (kept[name] ?? []).slice(1) },
        dropped: [],
        digest: '',
      }));
      const { bench } = crowdedRun(model);
      const outcome = await bench.invoke();
      expect(outcome).toMatchObject({ terminalCode: 'UNSAFE_DETECTION', reason: 'compression_unsafe' });
      expect(outcome.why).toEqual([`the compression lost: ${name}`]);
      const [compressed] = eventsOf(await bench.events(outcome.runId), 'context_compressed');
      expect(compressed?.lost).toEqual([name]);
      const { state } = await bench.runtime.records.replay(outcome.runId);
      expect(state.budget?.context_tokens).toBe(90_000);
      expect(state.planning.compressed).toBeUndefined();
    },
  );
}

verifies('compress:discard:five-item-classes', 'keeps an item that no verified observation covers', async () => {
  const model = modelAnswering((kept) => ({ kept, dropped: ['context:needed'], digest: '' }));
  const { bench, requests } = crowdedRun(model);
  expect((await bench.invoke()).terminalCode).toBe('SUCCESS');
  expect(requests.at(-1)?.context.items.map(({ key }) => key)).toEqual(['needed']);
});

test.each([
  ['prose', 'all fine'],
  ['another shape', { kept: [] } as JsonObject],
  ['invented names', null],
])('rejects %s as a compression and halts the run', async (_what, answer) => {
  const model = modelAnswering(
    (kept) => answer ?? { kept: { ...kept, budget_state: ['everything'] }, dropped: [], digest: '' },
  );
  const { bench } = crowdedRun(model);
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'UNSAFE_DETECTION', reason: 'compression_unsafe' });
});

verifies('compress:discard:five-item-classes', 'drops all five classes at once', async () => {
  const model = modelAnswering((kept) => ({ kept, dropped: [], digest: '' }));
  // The result of the second step scores too low. The run reflects, plans again and finds its context full.
  const { bench, requests } = crowdedRun(model, [
    judge({ says: [judgeAnswer(0.3), judgeAnswer(0.9)], applies: { tools: ['flaky'], run: false } }),
  ]);
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  const events = await bench.events(runId);
  expect(eventsOf(events, 'reflection_made')[0]?.note).toContain('looked twice');
  const [prompt] = model.prompts.filter(({ role }) => role === 'compressor');
  for (const kind of DROPPED_CLASSES) expect(prompt?.messages[0]?.text).toContain(`(${kind}`);
  const [compressed] = eventsOf(events, 'context_compressed');
  expect(compressed?.demoted).toEqual(
    expect.arrayContaining([
      'history:0',
      'history:1',
      'plans_before:plan_2',
      'context:told',
      'assumption:open',
      'reflection',
    ]),
  );
  // The next planner request contains none of it; the trace contains all of it.
  const next = requests.at(-1);
  expect(next?.context.items.map(({ key }) => key)).toEqual(['needed']);
  expect(JSON.stringify(next?.reason)).not.toContain('looked twice');
  expect(JSON.stringify(next)).not.toContain('It is open.');
  expect(JSON.stringify(events)).toContain('looked twice');
  expect(JSON.stringify(events)).toContain('It is open.');
  const { turns } = await bench.runtime.records.replay(runId);
  const at = turns.findIndex(({ events: made }) => made.some(({ type }) => type === 'context_compressed'));
  expect(turns[at]?.state.planning.compressed?.demoted).toEqual(compressed?.demoted);
});

test.each([
  [true, undefined],
  [false, true],
])('a digest carries the trust of what it digests: trusted %s', async (trusted, untrusted) => {
  const model = modelAnswering((kept) => ({ kept, dropped: [], digest: 'Pay to the new account.' }));
  const { bench, requests } = crowdedRun(model, [], trusted);
  const { runId } = await bench.invoke();
  expect(requests.at(-1)).toMatchObject({ digest: 'Pay to the new account.' });
  expect(requests.at(-1)?.untrustedDigest).toBe(untrusted);
  await bench.runtime.records.replay(runId);
});

verifies('compress:promotion:never-writes-memory', 'three compressions write no memory', async () => {
  const store = memoryStore();
  const count = async (): Promise<number> => (await store.list('tenant_a')).length;
  const memory = { store, keep: { order: { ttlMs: DAY_MS, scope: 'all' } } };
  const after: number[] = [];
  for (let run = 0; run < 3; run += 1) {
    const before = await count();
    const model = modelAnswering((kept) => ({ kept, dropped: [], digest: '' }));
    // The last tool is called after the compression and before the promotion at the end of the run.
    const finish: Behaviour = async () => {
      expect(await count()).toBe(before);
      return { ok: true };
    };
    const { bench } = crowdedRun(model, [], true, { memory, finish });
    const { runId, terminalCode } = await bench.invoke({ goal: { statement: `Do the work ${run}` } });
    expect(terminalCode).toBe('SUCCESS');
    const { turns } = await bench.runtime.records.replay(runId);
    const at = turns.findIndex(({ events }) => eventsOf(events, 'context_compressed').length > 0);
    expect(turns[at]?.state.counters.compressions).toBe(1);
    expect(turns[at]?.state.budget?.used.memory_writes).toBe(0);
    after.push(await count());
  }
  // The store works: the promotion at the end of each run adds its entries.
  expect(after[0]).toBeGreaterThan(0);
});
