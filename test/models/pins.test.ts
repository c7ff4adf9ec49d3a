/** A run is pinned to the models it uses, and assembly rejects an agent whose models cannot be used. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { knownModels } from '../../src/adapters/ai-sdk/models/known-models.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { modelJudge, modelProfile, planFirst, promptTool } from '../../src/index.ts';
import type { LanguageModel, ModelProfile } from '../../src/ports/model/language-model.ts';
import { usesOf, withModelPins } from '../../src/roles/client/used-models.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { restartProcess } from '../runs/executing/crashed-process.ts';
import { of, plan, plannedStep } from '../runs/planning/bench.ts';
import { agentFor, type Rig, type RigOptions, rig } from '../runs/rig.ts';
import { sdkModel } from './wires.ts';

const named = (id: string, model: LanguageModel = scriptedModel([])): LanguageModel => ({ ...model, id });
const NOWHERE = 'http://127.0.0.1:9';

const PLAN = plan(
  plannedStep('s1', 'look'),
  plannedStep('s2', 'respond', { objective: 'say it' }, { depends_on: ['s1'] }),
);

function optionsWith(model: ModelProfile, world: RigOptions['world'] = {}): RigOptions {
  const options = { planner: planFirst({ model }) } as RigOptions['options'] & object;
  return { tools: { look: { produces: ['done'] } }, options, world };
}

const manifestOf = async (bench: Rig, runId: string) => of(await bench.events(runId), 'run_initialized')[0]?.manifest;

test("the manifest names the model and the fallbacks of every role, regardless of the agent's own pins", async () => {
  const judge = modelJudge({
    name: 'tone',
    version: '1',
    model: modelProfile(named('b/judge')),
    criteria: { kind: 'It is kind.' },
    applies: { tools: [], run: false },
  });
  const planning = modelProfile(named('a/main', scriptedModel([PLAN])), { fallbacks: [named('a/spare')] });
  const bench = rig(optionsWith(planning, { judges: [judge] }));
  const { runId } = await bench.invoke();
  const manifest = await manifestOf(bench, runId);
  expect(manifest?.model_versions).toEqual({
    planner: 'a/main::a/spare',
    executor: 'none',
    verifier: 'b/judge',
    router: 'none',
  });
  const templates = planFirst({ model: planning }).uses?.flatMap(({ templates: used }) => used) ?? [];
  expect(templates.length).toBeGreaterThan(0);
  for (const template of templates) {
    const [name = '', version] = template.split('@');
    expect(manifest?.prompt_template_versions[name]).toBe(version);
  }
});

test('rejects an agent whose model has no price or is only a gateway name, and lists every problem', () => {
  const parameters = { temperature: null, outputTokensMax: 100, structured: true };
  const profile = (name: string, model: ModelProfile['model']): ModelProfile => ({
    name,
    model,
    fallbacks: [],
    parameters,
    requestTimeoutMs: 1_000,
    price: null,
  });
  const unpriced = profile('dear', sdkModel('openai', NOWHERE));
  const gateway = profile('far', 'openai/gpt-5' as unknown as LanguageModel);
  const planner = {
    ...planFirst({ model: scriptedModel([]) }),
    uses: [unpriced, gateway].map((used) => ({ role: 'planner' as const, profile: used, templates: [] })),
  };
  const assembling = () =>
    rig({ tools: { look: { produces: ['done'] } }, options: { planner } as RigOptions['options'] & object });
  expect(assembling).toThrow(
    /2 problems[\s\S]*profile dear: the price of local.chat\/small-1 is unknown[\s\S]*profile far: .*behind a gateway/,
  );
});

test('a waiting run continues under another planner model, because its plan is made', async () => {
  const waits: RigOptions = {
    ...optionsWith(modelProfile(named('a/main', scriptedModel([PLAN])))),
    tools: { look: { produces: ['done'], approval_mode: 'destructive', gates: ['GATE_OWNER'], side_effect: true } },
  };
  const bench = rig(waits);
  const waiting = await bench.invoke();
  expect(waiting.status).toBe('awaiting_gate');
  const other = restartProcess(bench, {
    ...waits,
    ...optionsWith(modelProfile(named('a/other'))),
    tools: waits.tools ?? {},
  });
  expect(await other.settle(other.runtime.resume(waiting.runId))).toMatchObject({ status: 'awaiting_gate' });
});

test("pins a prompt tool's model as the executor, with the version of its prompt", () => {
  const summarise = promptTool({
    name: 'summarise',
    description: 'Say it shorter',
    model: modelProfile(named('c/small')),
    prompt: { version: '7', system: 'Be brief.', text: ({ text }: { readonly text: string }) => text },
    inputSchema: z.object({ text: z.string() }),
    outputSchema: z.object({ summary: z.string() }),
  });
  const agent = agentFor(['summarise']);
  expect(withModelPins(agent, knownModels, usesOf([summarise]), sha256).pins).toMatchObject({
    model_versions: { ...agent.pins.model_versions, executor: 'c/small' },
    prompt_template_versions: { summarise: '7' },
  });
});
