/** The same agent on every tier of the autonomy ladder: only the graph differs. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  type Ambit,
  agent,
  ambit,
  ladderPlanner,
  planFirst,
  type RunRequest,
  reactive,
  tool,
} from '../../../src/index.ts';
import { TIERS } from '../../../src/kernel/autonomy/tiers.ts';
import type { StandardGraphName } from '../../../src/kernel/graph/standard-graphs.ts';
import type { ModelProfile } from '../../../src/ports/model/language-model.ts';
import { type ModelTurn, type ScriptedModel, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { profileOf } from '../model-profile.ts';

const profile = (model: ScriptedModel): ModelProfile => profileOf(model, { price: { input: 0, output: 0 } });

const weather = tool({
  name: 'weather.now',
  description: 'The weather in a city',
  approvalMode: 'read_only',
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ sky: z.string() }),
  execute: () => ({ sky: 'clear' }),
  effects: { produces: ['weather'] },
  risk: { trusted: true },
  rules: { action: 'retrieve_document' },
});

const STEP = { id: 's1', tool: 'weather.now', params: { city: 'Bonn' } };
const WRITTEN = { plan_id: 'plan_1', intent: 'weather', steps: [STEP], decision_checkpoints: [] };

/** The scripted model plan: the complete work in one plan. */
const MODEL_TURNS: readonly ModelTurn[] = [{ ...WRITTEN, plan_id: 'plan_model' }];

function runtimeOnTier(
  graph: StandardGraphName,
  tier: number,
): { readonly runtime: Ambit; readonly model: ScriptedModel } {
  const model = scriptedModel(isHostPlanned(tier) ? [] : MODEL_TURNS);
  const declared = agent({
    name: 'forecaster',
    planner: ladderPlanner({
      written: { weather: WRITTEN },
      complete: planFirst({ model: profile(model) }),
      stepwise: reactive({ model: profile(model) }),
    }),
    tools: [weather],
    intents: [
      {
        intent: 'weather',
        description: 'Say what the weather is',
        risk: 'low',
        criteria: [{ id: 'known', statement: 'The weather is known', evidence: 'weather' }],
      },
    ],
    boundary: 'research',
    settings: {
      autonomy: { environment: 'sandbox', tier, needs: [], reasons: reasonsAgainstLower(tier) },
      roles: { reader: 'read_only' },
    },
  });
  return { runtime: ambit({ agent: declared, graph }), model };
}

const isHostPlanned = (tier: number): boolean => tier <= 3;

const reasonsAgainstLower = (tier: number) =>
  TIERS.filter(({ rank }) => rank < tier).map(({ rank }) => ({ rank, why: 'to be tried' }));

const REQUEST: RunRequest = {
  mode: 'standard',
  tenant_id: 'acme',
  agent: 'forecaster',
  intent: 'weather',
  goal: { statement: 'What is the weather in Bonn?' },
  identity: {
    actor: 'ada',
    tenant_id: 'acme',
    roles: ['reader'],
    scopes: ['weather.now', 'respond', 'clarify'],
    expires_at: 4_000_000_000_000,
  },
};

const RUNGS = TIERS.flatMap(({ rank, graphs }) => graphs.map((graph) => ({ rank, graph })));

test.for(RUNGS)('tier $rank, $graph', async ({ rank, graph }) => {
  const { runtime, model } = runtimeOnTier(graph, rank);
  let run = await runtime.invoke(REQUEST);
  if (graph === 'supervised') {
    expect(run.status).toBe('awaiting_gate');
    const [gate] = run.pending;
    const credential = { kind: 'local_operator', name: 'lead' } as const;
    run = await runtime.approve(gate?.gateId ?? '', { packetHash: gate?.packetHash ?? '', credential, reason: 'fine' });
  }
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  const events = (await runtime.records.frames(run.runId)).flatMap((frame) => JSON.parse(frame.events));
  const manifest = events.find(({ type }) => type === 'run_initialized').manifest;
  expect(manifest).toMatchObject({ tier: rank });
  const proposed = events.filter(({ type }) => type === 'plan_proposed');
  expect(proposed.map(({ author }) => author)).toEqual([isHostPlanned(rank) ? 'host' : 'model']);
  const asked = (await runtime.records.exchanges(run.runId)).map(({ call }) => call.template);
  expect(asked).toEqual(isHostPlanned(rank) ? [] : [graph === 'reactive' ? 'reactive@3' : 'plan_first@3']);
  expect(events.find(({ type }) => type === 'step_observed')).toMatchObject({ raw: { sky: 'clear' } });
  await runtime.records.replay(run.runId);
  model.assertDrained();
});

test('every tier has at least one graph', () => {
  expect(RUNGS.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 6, 7]);
});
