/** Tests the prompt of the planning model and of the classifier, and the feedback after an invalid plan. */
import { expect, test } from 'vitest';
import type { CompiledContext } from '../../../src/model/evidence/context.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { verifies } from '../../requirements/verifies.ts';
import { START_MS } from '../rig.ts';
import { of, plan, plannedStep, planningBench } from './bench.ts';

const TOOLS = { look_up: { description: 'Finds an order' }, finish: { produces: ['done'], description: 'Ends it' } };
const DONE = plan(plannedStep('s1', 'finish'));

function context(...types: readonly string[]): CompiledContext {
  const labels = { source_id: 'desk', permission_scope: 'all', observed_at: 0, fresh_until: START_MS * 2 };
  const items = types.map((type) => ({
    ...labels,
    key: type,
    type,
    value: `the ${type}`,
    trusted: true,
    authority: 1,
    personal_data: false,
  }));
  return {
    context_id: 'ctx_1',
    pack_pin: 'ctxpack.bench@1.0.0',
    snapshot_pin: 'kg_1',
    items,
    compiled_at: START_MS,
    memory_snapshot: null,
  };
}

verifies(
  'planfirst:prompt:planning-instructions',
  'contains the tool guides, the context, the chat history flag, the task and the schema',
  async () => {
    const bench = planningBench([DONE], { tools: TOOLS, world: { context: context('policy', 'chat_history') } });
    expect((await bench.invoke({ goal: { statement: 'Bring order into it' } })).terminalCode).toBe('SUCCESS');
    const [prompt] = bench.model.prompts;
    for (const name of ['look_up', 'finish', 'respond', 'clarify']) expect(prompt?.system).toContain(`## ${name}\n`);
    expect(prompt?.system).toContain('Finds an order');
    expect(prompt?.system).toContain('policy (policy, from desk): "the policy"');
    expect(prompt?.system).toContain('The task depends on the chat history: yes.');
    expect(prompt?.system).toContain('- tool_calls: 50');
    expect(prompt?.messages[0]?.text).toContain('Bring order into it');
    expect(prompt?.schema?.name).toBe('plan');
    expect(JSON.stringify(prompt?.schema?.json)).toContain('"enum":["look_up"]');
  },
);

verifies('planfirst:prompt:planning-instructions', 'says that a task does not depend on a chat history', async () => {
  const bench = planningBench([DONE], { tools: TOOLS, world: { context: context('policy') } });
  await bench.invoke();
  expect(bench.model.prompts[0]?.system).toContain('The task depends on the chat history: no.');
});

verifies(
  'planfirst:hallucination:reclassify-with-context',
  'tells classifier and planner about an unknown tool',
  async () => {
    const classifier = scriptedModel([{ capabilities: ['finish'] }, { capabilities: ['look_up', 'finish'] }]);
    const invented = plan(plannedStep('s1', 'finish'), plannedStep('s2', 'teleport'));
    const bench = planningBench([invented, DONE], { tools: TOOLS, planFirst: { classifier } });
    const run = await bench.invoke();
    expect(run.terminalCode).toBe('SUCCESS');
    const events = await bench.events(run.runId);
    const second = events.findIndex((event, place) => event.type === 'plan_proposed' && place > first(events));
    // No step of the invalid plan ran, not even the valid one.
    expect(events.slice(0, second).some(({ type }) => type === 'step_attempted')).toBe(false);
    for (const prompts of [classifier.prompts, bench.model.prompts]) {
      expect(prompts).toHaveLength(2);
      expect(prompts[0]?.system).not.toContain('hallucinated_capability');
      expect(prompts[1]?.system).toContain('no such tool: teleport. Available: clarify, finish, look_up, respond');
    }
    // The planner sees only the tools that the classifier named, and those that end a plan.
    expect(bench.model.prompts[0]?.system).not.toContain('## look_up');
    expect(bench.model.prompts[1]?.system).toContain('## look_up');
    // Each is charged as a planning attempt, and both model calls are recorded.
    expect(of(events, 'plan_verified').map(({ verdict }) => verdict)).toEqual(['replan', 'ok']);
    expect(of(events, 'plan_proposed').map(({ calls = [] }) => calls.map(({ role }) => role))).toEqual([
      ['classifier', 'planner'],
      ['classifier', 'planner'],
    ]);
  },
);

const first = (events: readonly { readonly type: string }[]): number =>
  events.findIndex(({ type }) => type === 'plan_proposed');

verifies('planfirst:hallucination:reclassify-with-context', 'stops at the replan limit', async () => {
  const invented = plan(plannedStep('s1', 'teleport'));
  const classifier = scriptedModel([{ capabilities: [] }, { capabilities: ['nothing'] }, 'none of them']);
  const bench = planningBench([invented, plan(plannedStep('s1', 'warp')), plan(plannedStep('s1', 'beam'))], {
    tools: TOOLS,
    planFirst: { classifier },
    options: { limits: { onEscalate: 'end' } },
  });
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'VALIDATION_FAIL', reason: 'replan_budget_exhausted' });
  expect(bench.dispatches).toEqual([]);
  bench.model.assertDrained();
  classifier.assertDrained();
  // If the classifier names no known tool, the planner sees all of them.
  expect(bench.model.prompts).toHaveLength(3);
  for (const { system } of bench.model.prompts) expect(system).toContain('Finds an order');
});

test('a custom prompt replaces the instructions and keeps the schema', async () => {
  const bench = planningBench([DONE], {
    tools: TOOLS,
    planFirst: { prompts: { planningInstructions: ({ tools }) => `Plan with ${tools.length} tools.` } },
  });
  expect((await bench.invoke()).terminalCode).toBe('SUCCESS');
  expect(bench.model.prompts[0]?.system).toBe('Plan with 4 tools.');
  expect(bench.model.prompts[0]?.schema?.name).toBe('plan');
});
