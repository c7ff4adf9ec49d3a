/** Provider options: their effect on real requests, and the options that are refused because they could break a bound. */
import { readFileSync } from 'node:fs';
import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/adapters/ai-sdk/models/connect.ts';
import { systemClock, systemTimer } from '../../src/adapters/node/system-clock.ts';
import { agent, modelComposer, modelProfile, planFirst, reactive } from '../../src/index.ts';
import { nearestFirst } from '../../src/model/text/nearest.ts';
import type { ModelParameters, ModelProfile } from '../../src/ports/model/language-model.ts';
import { modelServer } from '../../src/testing/model-server/model-server.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { restartProcess } from '../runs/executing/crashed-process.ts';
import { of, plan, plannedStep } from '../runs/planning/bench.ts';
import { operator, type RigOptions, rig } from '../runs/rig.ts';
import { ANSWER_MODES, answered, failed, line, PROMPT, sdkModel, type WireName } from './wires.ts';

type ProviderOptions = NonNullable<ModelParameters['providerOptions']>;

const NOWHERE = 'http://127.0.0.1:9';
const RESERVED = 5_000;

/** Options that are passed on, by wire format, each with the part of the request that shows it. */
const PASSED: readonly (readonly [WireName, ProviderOptions, Readonly<Record<string, unknown>>])[] = [
  [
    'anthropic',
    { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_000 } } },
    { thinking: { type: 'enabled', budget_tokens: 2_000 } },
  ],
  ['anthropic', { anthropic: { thinking: { type: 'enabled' } } }, { thinking: { budget_tokens: 1_024 } }],
  ['anthropic', { anthropic: { thinking: { type: 'adaptive' } } }, { thinking: { type: 'adaptive' } }],
  ['anthropic', { anthropic: { thinking: { type: 'disabled' } } }, { thinking: { type: 'disabled' } }],
  ['anthropic', { anthropic: { effort: 'low' } }, { output_config: { effort: 'low' } }],
  ['anthropic', { anthropic: { metadata: { userId: 'user_1' } } }, { metadata: { user_id: 'user_1' } }],
  ['anthropic', { anthropic: { cacheControl: { type: 'ephemeral' } } }, { cache_control: { type: 'ephemeral' } }],
  ['anthropic', { anthropic: { serviceTier: 'standard_only' } }, { service_tier: 'standard_only' }],
  [
    'openai',
    { local: { reasoningEffort: 'high', textVerbosity: 'low' } },
    { reasoning_effort: 'high', verbosity: 'low' },
  ],
  ['openai', { openaiCompatible: { user: 'user_1' } }, { user: 'user_1' }],
  ['openai', { local: { seed: 7, top_p: 0.5 } }, { seed: 7, top_p: 0.5 }],
  [
    'openai',
    { local: { chat_template_kwargs: { enable_thinking: false } } },
    { chat_template_kwargs: { enable_thinking: false } },
  ],
];

describe.for(ANSWER_MODES)('%s, %s', ([wire, mode]) => {
  const streaming = mode === 'streaming';
  const passed = PASSED.filter(([of]) => of === wire);

  test.for(passed)('$1 arrives, within the reserved output tokens', async ([, providerOptions, shown]) => {
    const { ask, server } = await line(wire, ['Done.']);
    answered(await ask(PROMPT, { streaming, providerOptions, outputTokensMax: RESERVED }));
    const { body } = server.requests[0] ?? {};
    expect(body).toMatchObject(shown);
    expect(body).toMatchObject({ max_tokens: RESERVED, model: wire === 'anthropic' ? 'claude-sonnet-4-5' : 'small-1' });
    expect(body).not.toHaveProperty('tools');
  });

  test('options for another provider are not sent', async () => {
    const { ask, server } = await line(wire, ['Done.']);
    const providerOptions = { anthropic: { metadata: { userId: 'user_1' } }, local: { user: 'user_1' } };
    answered(await ask(PROMPT, { streaming, providerOptions }));
    expect(server.requests[0]?.body).not.toHaveProperty(wire === 'anthropic' ? 'user' : 'metadata');
  });

  test('options of a hand-written profile are refused before a request is sent', async () => {
    const { ask, server } = await line(wire, []);
    const providerOptions = { [wire === 'anthropic' ? 'anthropic' : 'local']: { max_tokens: 100_000 } };
    const { fault } = failed(await ask(PROMPT, { streaming, providerOptions }));
    expect(fault).toMatchObject({ code: 'model_misconfigured' });
    expect(fault.message).toContain('there is no option max_tokens');
    expect(server.requests).toEqual([]);
  });
});

test('a model that replaces the thinking budget by adaptive thinking gets less output than was reserved', async () => {
  const server = await modelServer(['Done.']);
  onTestFinished(() => server.close());
  const model = connect(createAnthropic({ baseURL: `${server.url}/v1`, apiKey: 'key-a' })('claude-opus-5-5'));
  const providerOptions = { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_000 } } };
  const parameters = { temperature: null, outputTokensMax: RESERVED, structured: true, providerOptions };
  answered(await model.generate(PROMPT, parameters, new AbortController().signal));
  expect(server.requests[0]?.body).toMatchObject({ thinking: { type: 'adaptive' }, max_tokens: 3_000 });
});

test('in a run, no request may write more than the planner and the composer reserve', async () => {
  const server = await modelServer([{ json: PLAN as never }, { json: { sentences: [] } }]);
  onTestFinished(() => server.close());
  const model = modelProfile(sdkModel('anthropic', server.url), {
    outputTokensMax: 3_000,
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_000 } } },
  });
  const composer = modelComposer({ model });
  const options = { planner: planFirst({ model }) } as RigOptions['options'] & object;
  const bench = rig({
    tools: { look: { produces: ['done'], trusted: true } },
    options,
    world: { composer, clock: systemClock, timer: systemTimer },
  });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(composer.cost.output_tokens).toBe(3_000);
  expect(server.requests.map(({ body }) => [body['max_tokens'], body['thinking']])).toEqual(
    Array(2).fill([3_000, { type: 'enabled', budget_tokens: 2_000 }]),
  );
});

test('a budget for thinking is refused under the name of any other provider', () => {
  expect(() => profile({ proxy: { thinking: { type: 'enabled' } } })).toThrow('there is no option thinking');
});

const profile = (providerOptions: ProviderOptions, outputTokensMax = RESERVED): ModelProfile =>
  modelProfile(sdkModel('anthropic', NOWHERE), { providerOptions, outputTokensMax });

test.each([
  ...['max_tokens', 'maxTokens', 'max_completion_tokens', 'maxCompletionTokens', 'max_output_tokens', 'num_predict'],
  ...['model', 'models', 'messages', 'prompt', 'system', 'instructions', 'previousResponseId', 'conversation'],
  ...['tools', 'tool_choice', 'functions', 'mcpServers', 'mcp_servers', 'container', 'plugins', 'searchParameters'],
  ...['n', 'best_of', 'stream', 'stream_options', 'response_format', 'fallbacks', 'anthropicBeta', 'extra_body'],
  ...['speed', 'reasoningConfig', 'cachedContent', 'contextManagement', 'compaction', 'thread', 'toString'],
])('refuses the option %s of every provider', (option) => {
  for (const provider of ['anthropic', 'openai', 'azure', 'google', 'vertex', 'mistral', 'local', 'bedrock']) {
    expect(() => profile({ [provider]: { [option]: 'x' } })).toThrow(
      new RegExp(`providerOptions.${provider}: there is no option ${option}; there are \\w+`),
    );
  }
});

test.each<[string, ProviderOptions, RegExp]>([
  ['a text instead of options', { anthropic: 'high' as never }, /providerOptions\/anthropic/],
  [
    'an unknown kind of thinking',
    { anthropic: { thinking: { type: 'much' } } },
    /thinking: must be { type: 'adaptive' }/,
  ],
  ['a negative budget', { anthropic: { thinking: { type: 'enabled', budgetTokens: -1 } } }, /budgetTokens from 1024/],
  [
    'a fractional budget',
    { anthropic: { thinking: { type: 'enabled', budgetTokens: 2e3 + 0.5 } } },
    /budgetTokens from 1024/,
  ],
  [
    'more thinking than output',
    { anthropic: { thinking: { type: 'enabled', budgetTokens: 10_000 } } },
    /thinking: budgetTokens \(10000\) must be less than outputTokensMax \(5000\), which includes the answer/,
  ],
  [
    'a more expensive service tier',
    { openai: { serviceTier: 'priority' } },
    /serviceTier: must be 'auto', 'default' or 'flex'/,
  ],
  ['an unknown cache time', { anthropic: { cacheControl: { type: 'ephemeral', ttl: '1d' } } }, /cacheControl: must be/],
])('refuses %s', (_, options, message) => {
  expect(() => profile(options)).toThrow(message);
});

test('charges input at the price of a cache write if a cache is requested', () => {
  const priced = (cacheControl: ProviderOptions[string]): unknown => profile({ anthropic: { cacheControl } }).price;
  expect(profile({}).price).toMatchObject({ input: 3_000_000, output: 15_000_000 });
  expect(priced({ type: 'ephemeral' })).toMatchObject({ input: 3_750_000, output: 15_000_000 });
  expect(priced({ type: 'ephemeral', ttl: '1h' })).toMatchObject({ input: 6_000_000, beyond: { input: 12_000_000 } });
});

test('the guide lists the options of each provider', () => {
  const guide = readFileSync(new URL('../../docs/how-to/agent-models.md', import.meta.url), 'utf8');
  const names = (cell: string): readonly string[] => Array.from(cell.matchAll(/`(\w+)`/g), ([, name = '']) => name);
  const rows = Array.from(guide.matchAll(/^\| (`.*`|others) \| (.*) \|$/gm)).filter(([row]) =>
    /metadata|Settings|safePrompt/.test(row),
  );
  expect(rows).toHaveLength(5);
  for (const [, providers = '', options = ''] of rows) {
    for (const provider of providers === 'others' ? ['local'] : names(providers)) {
      const known = `there is no option x; there are ${nearestFirst('x', names(options)).join(', ')}`;
      expect(() => profile({ [provider]: { x: 1 } })).toThrow(known);
    }
  }
});

test('accepts options next to a model, but not next to a profile', () => {
  const providerOptions = { local: { reasoningEffort: 'low' } };
  const model = scriptedModel([]);
  const used = (part: { readonly uses?: readonly { readonly profile: ModelProfile }[] } | null | undefined): unknown =>
    part?.uses?.[0]?.profile.parameters.providerOptions;
  expect(used(planFirst({ model, providerOptions }))).toEqual(providerOptions);
  expect(used(modelComposer({ model, providerOptions }))).toEqual(providerOptions);
  const declared = agent({ name: 'a', model, providerOptions, tools: [], intents: INTENTS, boundary: 'research' });
  expect([used(declared.planner), used(declared.roles?.composer)]).toEqual([providerOptions, providerOptions]);
  expect(() => planFirst({ model: modelProfile(model), providerOptions })).toThrow(
    'planFirst: providerOptions belong to the profile: set them in modelProfile(model, { providerOptions })',
  );
});

const INTENTS = [{ intent: 'ask', description: 'Ask', criteria: [{ id: 'c', statement: 'It is known.' }] }];

const PLAN = plan(
  plannedStep('s1', 'look'),
  plannedStep('s2', 'respond', { objective: 'say it' }, { depends_on: ['s1'] }),
);

const optionsWith = (providerOptions: ProviderOptions | undefined): RigOptions => {
  const added = providerOptions === undefined ? {} : { providerOptions };
  const planner = reactive({ model: modelProfile(scriptedModel([PLAN]), added) });
  return {
    tools: {
      look: { approval_mode: 'destructive', gates: ['GATE_OWNER'], side_effect: true },
      tell: { produces: ['done'] },
    },
    options: { planner } as RigOptions['options'] & object,
  };
};

test('the manifest and every recorded request show the options, and a run plans with no others', async () => {
  const low = { local: { reasoningEffort: 'low' } };
  const bench = rig(optionsWith(low));
  const waiting = await bench.invoke();
  expect(waiting.status).toBe('awaiting_gate');
  const events = await bench.events(waiting.runId);
  const pinned = of(events, 'run_initialized')[0]?.manifest.model_versions.planner;
  expect(pinned).toMatch(/^scripted\/scripted-1@options:[0-9a-f]{12}$/);
  expect(of(events, 'plan_proposed')[0]?.calls?.[0]?.parameters).toMatchObject({ providerOptions: low });
  for (const options of [{ local: { reasoningEffort: 'high' } }, undefined]) {
    const other = restartProcess(bench, optionsWith(options));
    expect(await other.settle(other.runtime.resume(waiting.runId))).toMatchObject({ status: 'awaiting_gate' });
  }
  const other = restartProcess(bench, optionsWith(undefined));
  const [gate] = waiting.pending;
  if (gate === undefined) throw new Error('no gate is open');
  const { gateId, packetHash } = gate;
  const approval = { packetHash, credential: operator('owner'), reason: 'seen' };
  expect(await other.settle(other.runtime.approve(gateId, approval))).toMatchObject({
    status: 'paused',
    suspended: { reason: 'version_changed' },
  });
  const [failed] = of(await other.events(waiting.runId), 'plan_failed');
  expect(failed?.message).toContain(
    `the run was made with the planner ${pinned}, but this process has scripted/scripted-1`,
  );
});

test('later changes of the options object do not reach the profile', () => {
  const providerOptions = { local: { reasoningEffort: 'low' } as Record<string, string> };
  const made = modelProfile(scriptedModel([]), { providerOptions });
  providerOptions.local['max_tokens'] = '100000';
  expect(made.parameters.providerOptions).toEqual({ local: { reasoningEffort: 'low' } });
});
