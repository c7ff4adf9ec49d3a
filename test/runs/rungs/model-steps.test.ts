/** Tiers 1 and 2: the host fixes the path, and models execute the steps. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { World } from '../../../src/agent/world.ts';
import { promptTool } from '../../../src/compose.ts';
import { type Agent, type Ambit, agent, ambit, type RunRequest, templatePlanner } from '../../../src/index.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import type { Plan, PlanStep } from '../../../src/model/plan/plan.ts';
import type { ModelProfile } from '../../../src/ports/model/language-model.ts';
import { type ScriptedModel, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { profileOf } from '../model-profile.ts';
import { letTimePass } from '../rig.ts';

const profile = (model: ScriptedModel): ModelProfile =>
  profileOf(model, { name: 'writer', parameters: { temperature: 0, outputTokensMax: 200, structured: true } });

const NOW = 1_700_000_000_000;

const planned = (steps: readonly PlanStep[]): Plan => ({
  plan_id: 'plan_1',
  intent: 'digest',
  steps,
  decision_checkpoints: [],
});

const extract = (model: ScriptedModel) =>
  promptTool({
    name: 'text.extract',
    description: 'Finds the names in a text',
    model: profile(model),
    prompt: { version: '1', system: 'You find names.', text: ({ text }) => `Text: ${text}` },
    inputSchema: z.object({ text: z.string() }),
    outputSchema: z.object({ names: z.array(z.string()) }),
    bounds: { action: 'summarize' },
  });

const format = (model: ScriptedModel) =>
  promptTool({
    name: 'text.format',
    description: 'Writes names as a sentence',
    model: profile(model),
    prompt: { version: '3', system: 'You write.', text: ({ names }) => names.join(', ') },
    inputSchema: z.object({ names: z.array(z.string()) }),
    outputSchema: z.object({ sentence: z.string() }),
    produces: ['digest'],
    bounds: { action: 'summarize', trusted: true },
  });

const CHAIN = planned([
  { id: 'extract', tool: 'text.extract', params: { text: 'Ada met Bob.' } },
  {
    id: 'format',
    tool: 'text.format',
    params: { names: { $from: 'extract', path: '/names' } },
    depends_on: ['extract'],
  },
]);

function digester(
  plan: Plan,
  tools: Agent['tools'],
  tier: 1 | 2,
  world: Partial<World> = {},
): { runtime: Ambit; journal: ReturnType<typeof memoryJournal> } {
  const declared = agent({
    name: 'digester',
    planner: templatePlanner({ digest: plan }),
    tools,
    intents: [
      {
        intent: 'digest',
        description: 'Sum up a text',
        risk: 'low',
        taskClass: 'draft',
        criteria: [{ id: 'digested', statement: 'There is a digest', evidence: 'digest' }],
      },
    ],
    boundary: 'research',
    settings: {
      autonomy: { environment: 'sandbox', tier, needs: [tier === 1 ? 'single_answer' : 'fixed_sequence'] },
      roles: { reader: 'read_only' },
    },
  });
  const journal = memoryJournal({ hash: sha256 });
  return { runtime: ambit({ agent: declared, world: { journal, ...world } }), journal };
}

const REQUEST: RunRequest = {
  mode: 'standard',
  tenant_id: 'acme',
  agent: 'digester',
  intent: 'digest',
  goal: { statement: 'Sum it up' },
  identity: {
    actor: 'ada',
    tenant_id: 'acme',
    roles: ['reader'],
    scopes: ['text.extract', 'text.format'],
    expires_at: 4_000_000_000_000,
  },
};

test('a chain of prompts: each answer is checked, bound to the next, charged and recorded', async () => {
  const [finder, writer] = [scriptedModel([{ names: ['Ada', 'Bob'] }]), scriptedModel([{ sentence: 'Ada and Bob.' }])];
  const { runtime, journal } = digester(CHAIN, [extract(finder), format(writer)], 2);
  const run = await runtime.invoke(REQUEST);
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(writer.prompts.map(({ messages }) => messages)).toEqual([[{ author: 'user', text: 'Ada, Bob' }]]);
  const events = (await runtime.records.frames(run.runId)).flatMap((frame) => JSON.parse(frame.events));
  const observed = events.filter(({ type }) => type === 'step_observed');
  expect(observed).toMatchObject([
    {
      calls: [{ role: 'executor', profile: 'writer', template: 'text.extract@1', outcome: 'answered', measured: true }],
    },
    { calls: [{ template: 'text.format@3' }], spent: { input_tokens: 100, output_tokens: 50, microusd: 300 } },
  ]);
  for (const { calls } of observed) {
    const [{ prompt, response }] = calls;
    expect(await journal.blob(prompt)).toContain('You ');
    expect(JSON.parse(await journal.blob(response))).toBeTypeOf('object');
  }
  await runtime.records.replay(run.runId);
  finder.assertDrained();
  writer.assertDrained();
});

test('an answer of the wrong shape is requested once more, and not a third time', async () => {
  const once = planned([{ id: 'format', tool: 'text.format', params: { names: ['Ada'] } }]);
  const repaired = scriptedModel(['no JSON at all', { sentence: 'Ada.' }]);
  const done = await digester(once, [format(repaired)], 1).runtime.invoke(REQUEST);
  expect(done).toMatchObject({ terminalCode: 'SUCCESS' });
  repaired.assertDrained();
  expect(repaired.prompts[1]?.messages.map(({ author }) => author)).toEqual(['user', 'assistant', 'user']);
  expect(repaired.prompts[1]?.messages.at(-1)?.text).toContain('does not have the shape');
  const hopeless = scriptedModel([{ verse: 1 }, { verse: 2 }]);
  const failed = await digester(once, [format(hopeless)], 1).runtime.invoke(REQUEST);
  expect(failed.terminalCode).not.toBe('SUCCESS');
  hopeless.assertDrained();
});

test('does not send a request that could exceed the cost of its call', async () => {
  const model = scriptedModel([]);
  const dear = promptTool({
    name: 'text.format',
    description: 'Writes names as a sentence',
    model: profile(model),
    prompt: { version: '1', system: 'You write.', text: () => 'x'.repeat(4_000) },
    inputSchema: z.object({ names: z.array(z.string()) }),
    outputSchema: z.object({ sentence: z.string() }),
    produces: ['digest'],
    bounds: { action: 'summarize', retries: 0, cost: { input_tokens: 500 } },
  });
  const plan = planned([{ id: 'format', tool: 'text.format', params: { names: ['Ada'] } }]);
  const { runtime } = digester(plan, [dear], 1);
  const run = await runtime.invoke(REQUEST);
  const events = (await runtime.records.frames(run.runId)).flatMap((frame) => JSON.parse(frame.events));
  expect(events.find(({ type }) => type === 'step_observed')).toMatchObject({
    outcome: 'error',
    detail: expect.stringContaining('more than is left'),
  });
  expect(model.prompts).toEqual([]);
});

test("a call's timeout covers all attempts of its profile by default", async () => {
  const plan = planned([{ id: 'format', tool: 'text.format', params: { names: ['Ada'] } }]);
  const down = { ok: false, fault: new Fault('model_unreachable', 'down'), retryAfterMs: 0 } as const;
  const model = scriptedModel([{ sentence: 'Ada.' }]);
  let asked = 0;
  const third: ModelProfile['model'] = {
    ...model,
    generate: async (prompt, parameters, signal) => {
      asked += 1;
      if (asked === 3) return await model.generate(prompt, parameters, signal);
      // Each request fails shortly before its timeout.
      await clock.until(clock.nowMs() + 9_000, signal);
      return down;
    },
  };
  const patient = promptTool({
    name: 'text.format',
    description: 'Writes names as a sentence',
    model: { ...profile(model), model: third },
    prompt: { version: '1', system: 'You write.', text: () => 'Ada' },
    inputSchema: z.object({ names: z.array(z.string()) }),
    outputSchema: z.object({ sentence: z.string() }),
    produces: ['digest'],
    bounds: { action: 'summarize', retries: 0, trusted: true },
  });
  expect(patient.spec.timeout_ms).toBe(43_850);
  const clock = simulatedClock(NOW);
  const { runtime } = digester(plan, [patient], 1, { clock, timer: clock });
  expect(await letTimePass(clock, runtime.invoke(REQUEST))).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(asked).toBe(3);
});

test('a prompt tool names the unknown options of its declaration and of its bounds', () => {
  const declare = (more: object) => (): unknown =>
    promptTool({
      name: 'text.format',
      description: 'Writes names as a sentence',
      model: profile(scriptedModel([])),
      prompt: { version: '1', system: 'You write.', text: () => 'Ada' },
      inputSchema: z.object({}),
      outputSchema: z.object({ sentence: z.string() }),
      ...more,
    } as never);
  expect(declare({ bounds: { timeOutMs: 5 } })).toThrow(
    'promptTool text.format: bounds: there is no option timeOutMs; there are timeoutMs, ',
  );
  expect(declare({ produce: [] })).toThrow('promptTool text.format: there is no option produce; there are produces, ');
});

test('a rejected API key ends the run at once', async () => {
  const once = planned([{ id: 'format', tool: 'text.format', params: { names: ['Ada'] } }]);
  const refused = scriptedModel([new Fault('model_misconfigured', 'the provider does not accept the key (HTTP 401)')]);
  const { runtime } = digester(once, [format(refused)], 1);
  const run = await runtime.invoke(REQUEST);
  expect(run).toMatchObject({ terminalCode: 'UNAVAILABLE_DEP', reason: 'model_misconfigured' });
  // Asked once: neither the step nor the plan is retried.
  refused.assertDrained();
  expect(refused.prompts).toHaveLength(1);
  const events = (await runtime.records.frames(run.runId)).flatMap((frame) => JSON.parse(frame.events));
  expect(events.filter(({ type }) => type === 'plan_proposed')).toHaveLength(1);
  expect(events.find(({ type }) => type === 'run_escalated')).toMatchObject({
    escalation: { trigger: 'provider_outage' },
    stop: { detail: { dependency: 'text.format', message: expect.stringContaining('does not accept the key') } },
  });
  await runtime.records.replay(run.runId);
});

test('rejects a model without a price as a step', () => {
  const unpriced = { ...profile(scriptedModel([])), price: null };
  const declare = () =>
    promptTool({
      name: 'a',
      description: 'a',
      model: unpriced,
      prompt: { version: '1', system: '', text: () => '' },
      inputSchema: z.object({}),
      outputSchema: z.object({}),
    });
  expect(declare).toThrow(Fault);
  expect(declare).toThrow(/give its profile a price/);
});
