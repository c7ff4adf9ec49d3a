/** The models of an agent by role, and its instructions, as they arrive at a provider over HTTP. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
  type Agent,
  type AgentOptions,
  agent,
  ambit,
  lane,
  modelComposer,
  modelDrafter,
  modelProfile,
  reactive,
  templatePlanner,
  tool,
  type World,
} from '../../../src/index.ts';
import type { ModelProfile } from '../../../src/ports/model/language-model.ts';
import { openJournal } from '../../../src/store.ts';
import { type ModelServer, modelServer } from '../../../src/testing/model-server/model-server.ts';
import type { ServedTurn } from '../../../src/testing/model-server/served-turn.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { eventsOf } from '../endings/turns.ts';
import { plan, plannedStep } from '../planning/bench.ts';
import { countingIds, operator } from '../rig.ts';

const account = tool({
  name: 'account',
  description: 'The account of the customer',
  approvalMode: 'read_only',
  inputSchema: z.object({}),
  outputSchema: z.object({ plan: z.string() }),
  execute: () => ({ plan: 'Pro' }),
  effects: { produces: ['account'] },
  risk: { trusted: true },
});

const PLANNED: ServedTurn = { json: plan(plannedStep('s1', 'account')) as never };
const SENTENCES = { sentences: [{ text: 'Your plan is Pro.', cites: [{ ref: 'ev_1', pointer: '/plan' }] }] };
const COMPOSED: ServedTurn = { json: SENTENCES };
const REQUEST = { message: 'Which plan am I on?', user: { name: 'ada', tenant: 'shop' } };

/** A profile whose model answers by the script over HTTP. `name` is the name of the model. */
async function served(
  name: string,
  script: readonly ServedTurn[],
): Promise<{ readonly model: ModelProfile; readonly server: ModelServer }> {
  const server = await modelServer(script);
  onTestFinished(async () => {
    await server.close();
    server.assertDrained();
  });
  const provider = createOpenAICompatible({ name: 'local', baseURL: `${server.url}/v1` });
  return { model: modelProfile(provider(name), { price: 'free', outputTokensMax: 1_000 }), server };
}

const billing = (options: Partial<AgentOptions>): Agent =>
  agent({
    name: 'billing',
    tools: [account],
    intents: [
      {
        intent: 'account.question',
        description: 'Questions about an account',
        risk: 'low',
        criteria: [{ id: 'known', statement: 'The account is known.', evidence: 'account' }],
      },
    ],
    boundary: 'research',
    ...options,
  });

/** The texts that the model received: system and user, per request. */
const received = ({ requests }: ModelServer): readonly string[] =>
  requests.map(({ body }) =>
    (body['messages'] as { readonly content: string }[]).map(({ content }) => content).join('\n'),
  );

const world = (): Partial<World> => ({ ids: countingIds() });

test('with one model, an agent plans and writes its answer with it', async () => {
  const { model, server } = await served('one', [PLANNED, COMPOSED]);
  const runtime = ambit({ agent: billing({ model }), world: world() });
  const outcome = await runtime.invoke(REQUEST);
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', text: 'Your plan is Pro.' });
  expect(received(server)[0]).toContain('You plan the whole of a task');
  expect(received(server)[1]).toContain('You write the answer to a request');
  const frames = await runtime.records.frames(outcome.runId);
  const events = frames.flatMap((frame) => JSON.parse(frame.events));
  expect(eventsOf(events, 'run_initialized')[0]?.manifest.model_versions).toMatchObject({
    planner: 'local.chat/one',
    executor: 'local.chat/one',
  });
  await runtime.records.replay(outcome.runId);
});

test.each(['research', 'coding', 'incident_sre'] as const)(
  'the budget of %s affords a plan, a correction and an answer with the default output limit',
  async (profile) => {
    const answers = ['no plan', plan(plannedStep('s1', 'account')), JSON.stringify(SENTENCES)];
    const model = modelProfile(scriptedModel(answers), { price: { input: 5_000_000, output: 25_000_000 } });
    expect(model.parameters.outputTokensMax).toBe(8_192);
    const runtime = ambit({ agent: billing({ model, boundary: profile }), world: world() });
    expect(await runtime.invoke(REQUEST)).toMatchObject({ terminalCode: 'SUCCESS', text: 'Your plan is Pro.' });
  },
);

const TWO_INTENTS = ['account.question', 'account.close'].map((intent) => ({
  intent,
  description: `Requests of the kind ${intent}`,
  risk: 'low' as const,
  criteria: [{ id: 'known', statement: 'The account is known.', evidence: 'account' }],
}));

test('with one model and two intents, the model classifies the request', async () => {
  const chosen: ServedTurn = { json: { intent: 'account.question', confidence: 0.95 } };
  const { model, server } = await served('one', [chosen, PLANNED, COMPOSED]);
  const runtime = ambit({ agent: billing({ model, intents: TWO_INTENTS }), world: world() });
  const outcome = await runtime.invoke(REQUEST);
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', text: 'Your plan is Pro.' });
  expect(received(server)[0]).toContain('account.close');
});

test('a word that only one of two intents has does not hide the other one from the user', async () => {
  const { model } = await served('one', []);
  const declared = billing({ model, models: { classifier: null }, intents: TWO_INTENTS });
  const outcome = await ambit({ agent: declared, world: world() }).invoke({ ...REQUEST, message: 'Close it' });
  expect(outcome.question?.readings).toEqual(['account.close', 'account.question']);
});

test('a tool receives the user for whom the run acts', async () => {
  const actors: string[] = [];
  const known = tool({
    name: 'account',
    description: 'The account of the customer',
    approvalMode: 'read_only',
    inputSchema: z.object({}),
    outputSchema: z.object({ plan: z.string() }),
    execute: (_, { actor }) => {
      actors.push(actor);
      return { plan: 'Pro' };
    },
    effects: { produces: ['account'] },
    risk: { trusted: true },
  });
  const { model } = await served('one', [PLANNED, COMPOSED]);
  await ambit({ agent: billing({ model, tools: [known] }), world: world() }).invoke(REQUEST);
  expect(actors).toEqual(['ada']);
});

test('a composer of null leaves the answer to the deterministic form', async () => {
  const { model } = await served('one', [PLANNED]);
  const runtime = ambit({ agent: billing({ model, models: { composer: null } }), world: world() });
  expect(await runtime.invoke(REQUEST)).toMatchObject({ text: 'The account is known.\nPlan: Pro.' });
});

test('each role asks its own model, given as a model or as a role', async () => {
  const planning = await served('large', [PLANNED, PLANNED]);
  const writing = await served('small', [COMPOSED, COMPOSED]);
  const roles = [writing.model, modelComposer({ model: writing.model })];
  for (const composer of roles) {
    const runtime = ambit({
      agent: billing({ model: scriptedModel([]), models: { planner: planning.model, composer } }),
      world: world(),
    });
    expect(await runtime.invoke(REQUEST)).toMatchObject({ text: 'Your plan is Pro.' });
  }
  expect(planning.server.requests).toHaveLength(2);
  expect(writing.server.requests).toHaveLength(2);
});

test('two agents of one runtime have different models, and the world supplies the roles that an agent leaves out', async () => {
  const first = await served('first', [PLANNED, COMPOSED]);
  const second = await served('second', [PLANNED]);
  const shared = await served('shared', [COMPOSED]);
  const runtime = ambit({
    agents: [
      billing({ model: first.model }),
      { ...billing({ name: 'other', planner: billing({ model: second.model }).planner }) },
    ],
    world: { ids: countingIds(), composer: modelComposer({ model: shared.model }) },
  });
  await runtime.start('billing', REQUEST).settled;
  await runtime.start('other', REQUEST).settled;
  const names = [first, second, shared].map(({ server }) => server.requests.map(({ body }) => body['model']));
  expect(names).toEqual([['first', 'first'], ['second'], ['shared']]);
});

test('the worker of a lane does not take over the models of its parent', async () => {
  const worker = billing({
    name: 'worker',
    planner: templatePlanner({
      'account.question': {
        plan_id: 'look',
        intent: 'account.question',
        steps: [{ id: 's1', tool: 'account' }],
        decision_checkpoints: [],
      },
    }),
  });
  const ask = lane({
    name: 'ask',
    description: 'Has the worker look at the account',
    agent: worker,
    approvalMode: 'read_only',
    budget: {
      stepsMax: 2,
      toolCallsMax: 2,
      inputTokensMax: 30_000,
      outputTokensMax: 2_000,
      inferenceCostUsdMax: 0,
      replanAttemptsMax: 0,
      reflectionPassesMax: 0,
      externalApiCallsMax: 0,
    },
    task: {
      inputSchema: z.object({}),
      outputSchema: z.object({ account: z.object({ plan: z.string() }) }),
      goal: () => 'Look at the account',
      returns: ['account'],
    },
  });
  const delegated: ServedTurn = { json: plan(plannedStep('s1', 'ask')) as never };
  const { model, server } = await served('parent', [delegated, { json: { sentences: [] } }]);
  const runtime = ambit({ agent: billing({ model, tools: [ask, account], budget: { lanesMax: 1 } }), world: world() });
  const outcome = await runtime.start('billing', REQUEST).settled;
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(server.requests).toHaveLength(2);
});

test('a model drafts open arguments only if the boundary grants tool_arguments', () => {
  const model = scriptedModel([]);
  const plain = billing({ model });
  expect(Object.keys(plain.roles ?? {})).toEqual(['composer']);
  const { boundary } = plain.spec;
  const rights = [...boundary.decision_rights, 'tool_arguments' as const];
  const drafting = { ...boundary, boundary_id: 'drafting', decision_rights: rights };
  expect(Object.keys(billing({ model, boundary: drafting }).roles ?? {})).toEqual(['composer', 'drafter']);
  const off = billing({ model, boundary: drafting, models: { drafter: null } });
  expect(off.roles).toMatchObject({ drafter: null });
});

test.each<[string, Partial<AgentOptions>, RegExp]>([
  ['no model and no planner', {}, /agent billing: planner is missing: set model to a model of the AI SDK, or planner/],
  [
    'the name of a model',
    { model: 'openai/gpt-5' as never },
    /agent billing: model: planFirst: model is a model of the AI SDK/,
  ],
  [
    'an unknown role',
    { model: scriptedModel([]), models: { writer: scriptedModel([]) } as never },
    /agent billing: models: there is no role writer; there are (?=.*planner)(?=.*composer)(?=.*answerJudge)(?=.*drafter)(?=.*classifier)(?=.*reviewer)(?=.*judges)/,
  ],
  ['models that are a list', { model: scriptedModel([]), models: [] as never }, /models must be an object/],
  [
    'two planners',
    { planner: reactive({ model: scriptedModel([]) }), models: { planner: scriptedModel([]) } },
    /planner and models.planner are both set: remove one of them/,
  ],
  [
    'a drafter as a composer',
    { model: scriptedModel([]), models: { composer: modelDrafter({ model: scriptedModel([]) }) as never } },
    /agent billing: models.composer: this is no language model/,
  ],
  ['blank instructions', { model: scriptedModel([]), instructions: ' \n' }, /instructions: must say something/],
  [
    'long instructions',
    { model: scriptedModel([]), instructions: 'x'.repeat(4_001) },
    /instructions: must have at most 4000 characters/,
  ],
])('refuses %s', (_, options, message) => {
  expect(() => billing(options)).toThrow(message);
});

test('instructions reach the planner and the composer, quoted after the rules, and are pinned', async () => {
  const instructions = 'You help subscribers.\n# Rules\nBe brief.';
  const { model, server } = await served('one', [PLANNED, COMPOSED]);
  const runtime = ambit({ agent: billing({ model, instructions }), world: world() });
  const { runId, text } = await runtime.invoke(REQUEST);
  expect(text).toBe('Your plan is Pro.');
  for (const prompt of received(server)) {
    const [rules = '', section = ''] = prompt.split('# Instructions of the developer');
    expect(rules).toContain('# Rules');
    expect(section).toContain('> You help subscribers.\n> # Rules\n> Be brief.\n');
    expect(section).not.toContain('\n# Rules');
  }
  const events = (await runtime.records.frames(runId)).flatMap((frame) => JSON.parse(frame.events));
  expect(eventsOf(events, 'run_initialized')[0]?.manifest.prompt_template_versions).toMatchObject({
    agent_instructions: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  });
  await runtime.records.replay(runId);
});

test('instructions reach a reactive planner', async () => {
  const { model, server } = await served('one', [PLANNED]);
  const planner = reactive({ model });
  const runtime = ambit({ agent: billing({ planner, instructions: 'Be brief.' }) });
  expect(await runtime.invoke(REQUEST)).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(received(server)[0]).toContain('They add no capability and lift no rule.\n> Be brief.');
});

test('a reactive run is planned further only with the instructions that it began with', async () => {
  const journal = openJournal('memory');
  const gated = tool({
    name: 'consent',
    description: 'The consent of the customer',
    approvalMode: 'read_only',
    inputSchema: z.object({}),
    outputSchema: z.object({ plan: z.string() }),
    execute: () => ({ plan: 'Pro' }),
    risk: { trusted: true, gates: ['GATE_OWNER'] },
  });
  const start = (instructions?: string): ReturnType<typeof ambit> => {
    const model = scriptedModel([plan(plannedStep('s1', 'consent'))]);
    const added = instructions === undefined ? {} : { instructions };
    return ambit({
      agent: billing({ planner: reactive({ model }), tools: [gated, account], ...added }),
      world: { journal },
    });
  };
  const waiting = await start('Be brief.').invoke(REQUEST);
  expect(waiting.status).toBe('awaiting_gate');
  for (const others of ['Be long.', undefined])
    expect(await start(others).resume(waiting.runId)).toMatchObject({ status: 'awaiting_gate' });
  const [gate] = waiting.pending;
  if (gate === undefined) throw new Error('no gate is open');
  const other = start('Be long.');
  const approval = { packetHash: gate.packetHash, credential: operator('owner'), reason: 'seen' };
  expect(await other.approve(gate.gateId, approval)).toMatchObject({ suspended: { reason: 'version_changed' } });
  const frames = await other.records.frames(waiting.runId);
  expect(frames.map(({ events }) => events).join()).toMatch(
    /the run was made with the instructions sha256:\w+, but this process has sha256:\w+/,
  );
});

test('an agent names the judge of its answers; its default model never becomes one', async () => {
  const vague = {
    sentences: [{ text: 'You are one of our Pro subscribers.', cites: [{ ref: 'ev_1', pointer: '/plan' }] }],
  };
  const verdicts = { verdicts: [{ supported: true, reason: 'the plan is Pro' }] };
  const unjudged = await served('writer', [PLANNED, { json: vague }, { json: vague }]);
  const stated = await ambit({ agent: billing({ model: unjudged.model }) }).invoke(REQUEST);
  expect(stated).toMatchObject({ text: 'Plan: Pro.', sentences: [{ form: 'stated', released_by: 'check' }] });
  const writer = await served('writer', [PLANNED, { json: vague }, { json: vague }]);
  const judge = await served('judge', [{ json: verdicts }]);
  const named = billing({ model: writer.model, models: { answerJudge: judge.model } });
  const judged = await ambit({ agent: named }).invoke(REQUEST);
  expect(judged).toMatchObject({ sentences: [{ form: 'composed', released_by: 'judge' }] });
});

test('a run with an open draft continues only with the instructions that it began with', async () => {
  const journal = openJournal('memory');
  const note = tool({
    name: 'note',
    description: 'Keeps a note',
    approvalMode: 'read_only',
    inputSchema: z.object({ text: z.string() }),
    outputSchema: z.object({ kept: z.boolean() }),
    execute: () => ({ kept: true }),
    effects: { produces: ['account'] },
    risk: { trusted: true, gates: ['GATE_OWNER'] },
  });
  const draft = { $draft: 'A short note', using: [{ $from: 's1', path: '' }] };
  const steps = plan(plannedStep('s1', 'account'), plannedStep('s2', 'note', { text: draft }, { depends_on: ['s1'] }));
  const start = (instructions: string): ReturnType<typeof ambit> => {
    const { boundary } = billing({ model: scriptedModel([]), tools: [account, note] }).spec;
    const rights = [...boundary.decision_rights, 'tool_arguments' as const];
    const gated = { ...boundary.tools, needs_approval: ['account'] };
    const model = scriptedModel([steps]);
    const declared = billing({
      model,
      instructions,
      tools: [account, note],
      boundary: { ...boundary, boundary_id: 'drafting', decision_rights: rights, tools: gated },
    });
    return ambit({ agent: declared, world: { journal } });
  };
  const waiting = await start('Be brief.').invoke(REQUEST);
  expect(waiting).toMatchObject({ status: 'awaiting_gate' });
  await expect(start('Be long.').resume(waiting.runId)).rejects.toThrow(/made with the instructions sha256:/);
  expect(await start('Be brief.').resume(waiting.runId)).toMatchObject({ status: 'awaiting_gate' });
});
