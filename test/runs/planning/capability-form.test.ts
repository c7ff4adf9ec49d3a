/** Tests plans written in the capability form. */
import { expect, test } from 'vitest';
import type { Json } from '../../../src/model/json/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';
import { of, planningBench, verifiedPlans } from './bench.ts';

/** The sample plan of the source text, field for field. */
const WEATHER = {
  steps: [
    {
      context_key: 'weather_data',
      capability: 'current_weather',
      task_objective: 'Retrieve current weather for San Francisco',
      success_criteria: 'Weather data retrieved successfully',
      expected_output: 'CURRENT_WEATHER',
      inputs: [],
    },
    {
      context_key: 'user_response',
      capability: 'respond',
      task_objective: 'Present weather information to user',
      success_criteria: 'User receives formatted weather data',
      expected_output: 'user_response',
      inputs: ['weather_data'],
    },
  ],
};
const TOOLS = { current_weather: { produces: ['done', 'CURRENT_WEATHER'], execute: () => ({ celsius: 14 }) } };

verifies('planfirst:schema:step-fields', 'reads the steps of the weather sample in order and runs them', async () => {
  const bench = planningBench([WEATHER], { tools: TOOLS });
  const run = await bench.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  const events = await bench.events(run.runId);
  expect(verifiedPlans(events)).toMatchObject([
    [
      { id: 'weather_data', tool: 'current_weather', ...fields(WEATHER.steps[0]) },
      { id: 'user_response', tool: 'respond', ...fields(WEATHER.steps[1]), depends_on: ['weather_data'] },
    ],
  ]);
  expect(of(events, 'step_attempted').map(({ tool }) => tool)).toEqual(['current_weather', 'respond']);
  // The response shows the value and cites its observation.
  const [response] = of(events, 'response_compiled');
  expect(response?.claims.at(-1)).toMatchObject({ statement: 'Celsius: 14.' });
  expect(response?.text).toContain('Celsius: 14.');
  await bench.runtime.records.replay(run.runId);
});

function fields(step: (typeof WEATHER.steps)[number] | undefined): object {
  const { capability: _, ...kept } = step ?? { capability: '' };
  return kept;
}

verifies('planfirst:schema:step-fields', 'rejects a step without a context key or without a capability', async () => {
  for (const missing of ['context_key', 'capability']) {
    const steps = WEATHER.steps.map((step, place) =>
      place === 0 ? Object.fromEntries(Object.entries(step).filter(([key]) => key !== missing)) : step,
    );
    const good = planOf([{ id: 's1', tool: 'current_weather' }]);
    const bench = rig({ tools: { ...TOOLS, respond: {} }, plans: [{ steps } as unknown as Json as never, good] });
    const run = await bench.invoke();
    const [verified] = of(await bench.events(run.runId), 'plan_verified');
    expect(verified).toMatchObject({
      verdict: 'replan',
      problems: [{ code: 'plan_untyped', path: `/steps/0/${missing}` }],
    });
    expect(run.terminalCode).toBe('SUCCESS');
  }
});

test('rejects a step with an unknown field, and an input key that no earlier step fills', async () => {
  const strange = { steps: [{ ...WEATHER.steps[0], sudo: true }] };
  const early = { steps: [{ ...WEATHER.steps[1], inputs: ['weather_data'] }, WEATHER.steps[0]] };
  const bench = planningBench([strange, early, WEATHER], { tools: TOOLS });
  expect((await bench.invoke()).terminalCode).toBe('SUCCESS');
  expect(bench.model.prompts[1]?.messages.at(-1)?.text).toContain('plan_untyped');
  expect(bench.model.prompts[2]?.messages.at(-1)?.text).toContain('invalid_context_key');
});
