/** Tests a declared agent that is planned by a model. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent, ambit, planFirst } from '../../../src/compose.ts';
import { tool } from '../../../src/gateway/tool/tool.ts';
import { templatePlanner } from '../../../src/roles/template-planner.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { planOf, REQUEST, rig } from '../rig.ts';
import { of, plan, plannedStep, planningBench, verifiedPlans } from './bench.ts';

const currentWeather = tool({
  name: 'current_weather',
  description: 'The weather at a place, now',
  approvalMode: 'read_only',
  inputSchema: z.object({ place: z.string() }),
  outputSchema: z.object({ celsius: z.number() }),
  effects: { produces: ['weather'] },
  examples: [{ use: 'the weather in a city', params: { place: 'San Francisco' } }],
  execute: () => ({ celsius: 14 }),
});

test('adds the respond tool, and pins model and prompt template in the manifest', async () => {
  const look = plannedStep('s1', 'current_weather', { place: 'San Francisco' }, { context_key: 'weather' });
  const model = scriptedModel([
    plan(look, plannedStep('s2', 'respond', { objective: 'Tell it' }, { inputs: ['weather'] })),
  ]);
  const weather = agent({
    name: 'weather',
    planner: planFirst({ model }),
    tools: [currentWeather],
    intents: [
      {
        intent: 'weather.tell',
        description: 'Say what the weather is like',
        risk: 'low',
        criteria: [{ id: 'told', statement: 'The weather is known.', evidence: 'weather' }],
      },
    ],
    boundary: 'research',
    budget: { stepsMax: 10, toolCallsMax: 10 },
  });
  const runtime = ambit({ agent: weather });
  // The caller has the scope of the tool; respond needs none.
  const identity = { ...REQUEST.identity, scopes: ['all', 'current_weather'] };
  const request = { ...REQUEST, agent: 'weather', intent: 'weather.tell', goal: { statement: 'How is it?' }, identity };
  const run = await runtime.invoke(request);
  expect(run).toMatchObject({ status: 'completed', terminalCode: 'SUCCESS' });
  expect(model.prompts[0]?.system).toContain('Example, "the weather in a city": {"place":"San Francisco"}');
  const events = (await runtime.records.frames(run.runId)).flatMap((frame) => JSON.parse(frame.events));
  expect(of(events, 'response_compiled')[0]?.text).toBe('The weather is known.\nCelsius: 14.');
  expect(of(events, 'run_initialized')[0]?.manifest).toMatchObject({
    model_versions: { planner: 'scripted/scripted-1' },
    prompt_template_versions: { plan_first: '3' },
  });
  await runtime.records.replay(run.runId);
});

test('a template plan with a respond step adds the respond tool', async () => {
  const written = planOf([
    { id: 's1', tool: 'finish' },
    { id: 's2', tool: 'respond', task_objective: 'Say so' },
  ]);
  const planner = templatePlanner({ work: written });
  expect(planner.tools?.map(({ spec }) => spec.name)).toEqual(['respond']);
  const options = { graph: 'deterministic_workflow', planner } as const;
  const bench = rig({ tools: { finish: { produces: ['done'] } }, options });
  const run = await bench.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  expect(verifiedPlans(await bench.events(run.runId))[0]?.[1]).toMatchObject({ params: { objective: 'Say so' } });
});

test('a model without the right to ask cannot ask, and the violation is recorded', async () => {
  const asks = plan(plannedStep('s1', 'read'), plannedStep('s2', 'clarify', { question: 'May I?', fields: ['may'] }));
  const bench = planningBench([asks, plan(plannedStep('s3', 'finish'))], {
    tools: { read: {}, finish: { produces: ['done'] } },
    agent: (declared) => ({ ...declared, boundary: { ...declared.boundary, decision_rights: ['plan'] } }),
  });
  const run = await bench.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  const events = await bench.events(run.runId);
  expect(of(events, 'question_asked')).toEqual([]);
  expect(of(events, 'violation_noted')).toMatchObject([{ violation: 'proposal', subject: 'clarification_request' }]);
  await bench.runtime.records.replay(run.runId);
});

test('does not ask the user an answered question again', async () => {
  const asks = plan(plannedStep('s1', 'clarify', { question: 'Which?', fields: ['which'] }));
  const bench = planningBench([asks, asks, plan(plannedStep('s3', 'finish'))], {
    tools: { finish: { produces: ['done'] } },
  });
  const run = await bench.invoke();
  if (run.question === null) throw new Error('there is no open question');
  const done = await bench.settle(
    bench.runtime.sessions.answer(run.runId, run.question, { which: 'this' }, 'agt_worker'),
  );
  expect(done.terminalCode).toBe('SUCCESS');
  expect(of(await bench.events(run.runId), 'question_asked')).toHaveLength(1);
});

test('planFirst rejects invalid options', () => {
  const model = scriptedModel([]);
  expect(() => planFirst({ model: 'openai/gpt' as never })).toThrow('model is a model of the AI SDK');
  expect(() => planFirst(undefined as never)).toThrow('model is a model of the AI SDK');
  expect(() => planFirst({ model, repair: 1 } as never)).toThrow('there is no option repair; there are repairs, ');
  expect(() => planFirst({ model, repairs: 9 })).toThrow('repairs is a whole number from 0 to 5, not 9');
  expect(() => planFirst({ model, inputTokensMax: 1.5 })).toThrow('inputTokensMax is a whole number');
  expect(() => planFirst({ model: { id: 'x', generate: model.generate } })).toThrow('the price of x is unknown');
});
