/** What a planning model is asked, by whom else, and what it hears when it was wrong. */
import { expect, test } from 'vitest';
import type { CompiledContext } from '../../../src/model/context.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { verifies } from '../../requirements/verifies.ts';
import { START_MS } from '../rig.ts';
import { of, plan, planningBench, said } from './bench.ts';

const TOOLS = { look_up: { description: 'Finds an order' }, finish: { produces: ['done'], description: 'Ends it' } };
const DONE = plan(said('s1', 'finish'));

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

verifies('planfirst:prompt:planning-instructions', 'guides, context, the flag, the task and the schema', async () => {
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
});

verifies('planfirst:prompt:planning-instructions', 'a task without a chat history says so', async () => {
  const bench = planningBench([DONE], { tools: TOOLS, world: { context: context('policy') } });
  await bench.invoke();
  expect(bench.model.prompts[0]?.system).toContain('The task depends on the chat history: no.');
});

verifies('planfirst:hallucination:reclassify-with-context', 'classifier and planner hear what was wrong', async () => {
  const classifier = scriptedModel([{ capabilities: ['finish'] }, { capabilities: ['look_up', 'finish'] }]);
  const invented = plan(said('s1', 'finish'), said('s2', 'teleport'));
  const bench = planningBench([invented, DONE], { tools: TOOLS, planFirst: { classifier } });
  const run = await bench.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  const events = await bench.events(run.runId);
  const second = events.findIndex((event, place) => event.type === 'plan_proposed' && place > first(events));
  // Nothing of the plan ran that named it, not even the step that was in order.
  expect(events.slice(0, second).some(({ type }) => type === 'step_attempted')).toBe(false);
  for (const prompts of [classifier.prompts, bench.model.prompts]) {
    expect(prompts).toHaveLength(2);
    expect(prompts[0]?.system).not.toContain('hallucinated_capability');
    expect(prompts[1]?.system).toContain('no such tool: teleport. Available: clarify, finish, look_up, respond');
  }
  // Only what the classifier named was shown to the planner, and what ends a plan.
  expect(bench.model.prompts[0]?.system).not.toContain('## look_up');
  expect(bench.model.prompts[1]?.system).toContain('## look_up');
  // It was charged as an attempt to plan, and both were asked at the desk.
  expect(of(events, 'plan_verified').map(({ verdict }) => verdict)).toEqual(['replan', 'ok']);
  expect(of(events, 'plan_proposed').map(({ calls = [] }) => calls.map(({ role }) => role))).toEqual([
    ['classifier', 'planner'],
    ['classifier', 'planner'],
  ]);
});

const first = (events: readonly { readonly type: string }[]): number =>
  events.findIndex(({ type }) => type === 'plan_proposed');

verifies(
  'planfirst:hallucination:reclassify-with-context',
  'as often as the run may plan again, and no more',
  async () => {
    const invented = plan(said('s1', 'teleport'));
    const classifier = scriptedModel([{ capabilities: [] }, { capabilities: ['nothing'] }, 'none of them']);
    const bench = planningBench([invented, plan(said('s1', 'warp')), plan(said('s1', 'beam'))], {
      tools: TOOLS,
      planFirst: { classifier },
      options: { limits: { onEscalate: 'end' } },
    });
    const run = await bench.invoke();
    expect(run).toMatchObject({ terminalCode: 'VALIDATION_FAIL', reason: 'replan_budget_exhausted' });
    expect(bench.dispatches).toEqual([]);
    bench.model.assertDrained();
    classifier.assertDrained();
    // A classifier that names none has not helped: all are shown.
    expect(bench.model.prompts).toHaveLength(3);
    for (const { system } of bench.model.prompts) expect(system).toContain('Finds an order');
  },
);

test('other words are used instead, and what may be done stays the same', async () => {
  const bench = planningBench([DONE], {
    tools: TOOLS,
    planFirst: { prompts: { planningInstructions: ({ tools }) => `Plan with ${tools.length} tools.` } },
  });
  expect((await bench.invoke()).terminalCode).toBe('SUCCESS');
  expect(bench.model.prompts[0]?.system).toBe('Plan with 4 tools.');
  expect(bench.model.prompts[0]?.schema?.name).toBe('plan');
});
