/** Tests tiers 1 to 3: host code determines the path, and no model output changes it. */
import { expect } from 'vitest';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { templatePlanner } from '../../../src/roles/template-planner.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type Rig, type RigOptions, rig } from '../rig.ts';
import { kernelOf, pathOf } from './kernel.ts';

const ID = 'ladder:tiers-1-3:no-model-path-choice';
const CHAIN: Plan = planOf([
  { id: 'extract', tool: 'extract' },
  { id: 'check', tool: 'check', depends_on: ['extract'] },
  { id: 'format', tool: 'format', depends_on: ['check'] },
]);

const hosted = (graph: string, plan: Plan): NonNullable<RigOptions['options']> =>
  ({ graph, planner: templatePlanner({ work: plan }) }) as NonNullable<RigOptions['options']>;

for (const graph of ['prompt_chain', 'deterministic_workflow']) {
  verifies(ID, `${graph}: runs the next static step, and records the jump that a model suggests`, async () => {
    const suggestions: Promise<unknown>[] = [];
    const bench: Rig = rig({
      tools: {
        extract: {
          execute: () => {
            suggestions.push(bench.runtime.sessions.send('run_1', { type: 'transition_requested', to: 'finalize' }));
            const payload = { step_id: 'format' };
            suggestions.push(
              bench.runtime.sessions.send('run_1', { type: 'proposal_made', kind: 'next_step', payload }),
            );
            return { text: 'skip the check', next_step: 'format', next_tool: 'format', done: true };
          },
        },
        check: {},
        format: { produces: ['done'] },
      },
      options: hosted(graph, CHAIN),
    });
    const outcome = await bench.invoke();
    await Promise.all(suggestions);
    expect(outcome.terminalCode).toBe('SUCCESS');
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['extract', 'check', 'format']);
    const events = await bench.events(outcome.runId);
    expect(events.filter(({ type }) => type === 'violation_noted')).toMatchObject([
      { violation: 'transition', subject: 'tool_invocation -> finalize', why: 'no_such_edge' },
    ]);
    expect(events.filter(({ type }) => type === 'proposal_made')).toMatchObject([{ kind: 'next_step' }]);
  });
}

verifies(ID, 'direct_response makes one call for one answer', async () => {
  const options = { tools: { answer: { produces: ['done'], execute: () => ({ next_tool: 'other' }) }, other: {} } };
  const full: RigOptions = { ...options, options: hosted('direct_response', planOf([{ id: 'a', tool: 'answer' }])) };
  const bench = rig(full);
  const outcome = await bench.invoke();
  expect(outcome.terminalCode).toBe('SUCCESS');
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['answer']);
  expect(pathOf(kernelOf(full), await bench.events(outcome.runId)).filter((node) => node === 'plan')).toHaveLength(1);
});

for (const graph of ['direct_response', 'prompt_chain', 'deterministic_workflow'] as const) {
  verifies(ID, `${graph}: does not run the plan of a model`, async () => {
    const tools = { extract: {}, check: {}, format: { produces: ['done'] } };
    const options: RigOptions = { tools, plans: [CHAIN], options: { graph, limits: { onEscalate: 'end' } } };
    const bench = rig(options);
    const outcome = await bench.invoke();
    expect(outcome.terminalCode).toBe('VALIDATION_FAIL');
    expect(bench.dispatches).toEqual([]);
    const path = pathOf(kernelOf(options), await bench.events(outcome.runId));
    expect(path).not.toContain('plan_validation');
    for (const { from } of kernelOf(options).graph.spec.edges)
      expect(kernelOf(options).graph.choices(from)).toEqual([]);
  });
}
