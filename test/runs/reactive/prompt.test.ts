/** Both planners use one prompt builder; the reactive planner has its own entry. */
import { expect, test } from 'vitest';
import { reactive } from '../../../src/compose.ts';
import type { PlanRequest } from '../../../src/ports/model/planner.ts';
import type { PromptBuilder } from '../../../src/roles/prompts/common.ts';
import { planningInstructions } from '../../../src/roles/prompts/planning.ts';
import { reactiveInstructions } from '../../../src/roles/prompts/reactive.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { verifies } from '../../requirements/verifies.ts';
import { of } from '../planning/bench.ts';
import { CAPS, type RigTool } from '../rig.ts';
import { decide, reactiveBench, shownTo } from './bench.ts';

const TOOLS = {
  look: { execute: () => ({ found: 'x'.repeat(10_000), deep: { secret: 'pearl' } }) },
  finish: { produces: ['done'] },
};

verifies(
  'reactive:prompt:reactive-instructions',
  'requests the reactive instructions with capabilities, context and history',
  async () => {
    const asked: PlanRequest[] = [];
    const spy: PromptBuilder = {
      planningInstructions: (request) => {
        throw new Error(`asked for a whole plan of ${request.goal.statement}`);
      },
      reactiveInstructions: (request) => {
        asked.push(request);
        return reactiveInstructions(request);
      },
    };
    const bench = reactiveBench([decide('look'), decide('finish')], { tools: TOOLS, reactive: { prompts: spy } });
    const run = await bench.invoke();
    expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(asked).toHaveLength(2);
    expect(asked[0]?.tools.map(({ name }) => name)).toEqual(['clarify', 'finish', 'look', 'respond']);
    expect(asked[0]?.context).toMatchObject({ items: [] });
    expect(asked.map(({ history }) => history.map(({ kind }) => kind))).toEqual([[], ['decision', 'observation']]);
    const [system] = bench.model.prompts.map((prompt) => prompt.system);
    expect(system).toBe(reactiveInstructions(asked[0] as PlanRequest));
    expect(system).not.toBe(planningInstructions(asked[0] as PlanRequest));
    const [proposed] = of(await bench.events(run.runId), 'plan_proposed');
    expect(proposed?.calls?.map(({ template }) => template)).toEqual(['reactive@3']);
  },
);

test('the model can read truncated results a few times without a tool', async () => {
  const read = (path: string): object => ({ steps: [], read: { key: 'found', path } });
  const turns = [
    decide('look', {}, { context_key: 'found' }),
    read('/deep/secret'),
    read('/nowhere'),
    read('/deep'),
    decide('finish'),
  ];
  const bench = reactiveBench(turns, { tools: TOOLS });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(shownTo(bench.model, 1)).toContain('(cut: ');
  expect(shownTo(bench.model, 2)).toContain('What "found" at "/deep/secret" holds: "pearl"');
  expect(shownTo(bench.model, 3)).toContain('Nothing is at "found" at "/nowhere"');
  expect(shownTo(bench.model, 4)).toContain('You may read no more');
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look', 'finish']);
});

test('a model that only reads is corrected, and then the error is passed on', async () => {
  const read = { steps: [], read: { key: 'found', path: '' } };
  const bench = reactiveBench([read, read, read, read, read, read], {
    tools: TOOLS,
    caps: { ...CAPS, replan_attempts_max: 0 },
    options: { limits: { onEscalate: 'end' } },
  });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'VALIDATION_FAIL' });
  bench.model.assertDrained();
  // Three were looked up. The next three count as decisions and are invalid.
  expect(bench.model.prompts).toHaveLength(6);
});

test('a key filled twice holds the latest value', async () => {
  const look: RigTool = { execute: ({ n = 0 }) => ({ found: n }) };
  const turns = [
    decide('look', { n: 1 }, { context_key: 'found' }),
    decide('look', { n: 2 }, { context_key: 'found' }),
    { steps: [], read: { key: 'found', path: '/found' } },
    decide('finish'),
  ];
  const bench = reactiveBench(turns, { tools: { ...TOOLS, look } });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(shownTo(bench.model, 3)).toContain('What "found" at "/found" holds: 2');
});

test('rejects invalid options at construction', () => {
  const model = scriptedModel([]);
  for (const maxSteps of [0, -1, 1.5, 20_000]) expect(() => reactive({ model, maxSteps })).toThrow('maxSteps');
  expect(() => reactive({ model, inputTokensMax: 10 })).toThrow('inputTokensMax');
});
