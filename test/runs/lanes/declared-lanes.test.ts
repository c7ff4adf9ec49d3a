/** Tests that a lane has its own run, tools, budget and span, and that its parent receives only its envelope. */
import { expect, test } from 'vitest';
import type { Agent } from '../../../src/agent/agent.ts';
import type { LaneEnvelope } from '../../../src/model/run/lane.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type RigTool } from '../rig.ts';
import { benchAgent, benchLane, LANE_BUDGET, laneRig } from './bench.ts';

const LOOK: Readonly<Record<string, RigTool>> = {
  look: { produces: ['done'], execute: () => ({ found: 7 }) },
  peek: { produces: ['done'], execute: () => ({ found: 8 }) },
};
const LOOKING = planOf([{ id: 'a', tool: 'look' }]);
const HINT: RigTool = { produces: ['clue'], execute: () => ({ text: 'only in the lane' }) };
const HINTED = planOf([
  { id: 'a', tool: 'hint' },
  { id: 'b', tool: 'look', depends_on: ['a'] },
]);
const LANE_CAPS = { ...CAPS, lanes_max: 5, replan_attempts_max: 2 };

const reader = (plans: readonly unknown[] = [LOOKING], name = 'reader'): Agent =>
  benchAgent({ name, tools: LOOK, plans });

const boss = (lanes: Parameters<typeof benchAgent>[0]['lanes'], plans: readonly unknown[], caps = LANE_CAPS): Agent =>
  benchAgent({
    name: 'boss',
    tools: { finish: { produces: ['done'] } },
    plans,
    caps,
    ...(lanes === undefined ? {} : { lanes }),
  });

const step = (id: string, tool: string, depends_on: readonly string[] = []) => ({ id, tool, depends_on });

verifies(
  ['lane:spawn:own-run-context', 'lane:output:typed-envelope'],
  'a lane has its own run and returns only an envelope',
  async () => {
    const worker = benchAgent({ name: 'reader', tools: { ...LOOK, hint: HINT }, plans: [HINTED] });
    const rig = laneRig([boss([benchLane('delegate', worker)], [planOf([step('s1', 'delegate')])])]);
    const run = await rig.invoke();
    expect(run.terminalCode).toBe('SUCCESS');
    const [child = ''] = await rig.lanes(run.runId);
    expect(child).not.toBe(run.runId);

    const parent = (await rig.runtime.records.replay(run.runId)).state;
    const lane = (await rig.runtime.records.replay(child)).state;
    expect(lane.id).toMatchObject({ runId: child, traceId: parent.id.traceId, tenantId: parent.id.tenantId });
    expect(lane.laneContext).toMatchObject({ parent_run_id: run.runId, depth: 1, agent: 'reader', path: ['boss'] });
    // Plan, calls and results of the lane are recorded in the lane, not in its parent.
    expect(lane.planning.active?.plan.steps.map(({ tool }) => tool)).toEqual(['hint', 'look']);
    expect(parent.planning.active?.plan.steps.map(({ tool }) => tool)).toEqual(['delegate']);
    const after = (await rig.events(run.runId)).filter(
      ({ type }) => type !== 'scope_resolved' && type !== 'run_initialized',
    );
    expect(JSON.stringify(after)).not.toContain('"look"');
    // Evidence of the lane that its envelope does not return stays in the lane.
    expect(lane.work.evidenceByType).toHaveProperty('clue');
    expect(parent.work.evidenceByType).not.toHaveProperty('clue');
    expect(JSON.stringify(await rig.events(child))).toContain('only in the lane');
    expect(JSON.stringify(await rig.events(run.runId))).not.toContain('only in the lane');

    const [returned] = await rig.of(run.runId, 'lane_returned');
    const envelope = returned?.envelope as unknown as LaneEnvelope;
    expect(envelope).toMatchObject({
      lane_id: lane.laneContext?.lane_id,
      run_id: child,
      parent_run_id: run.runId,
      status: 'completed',
      terminal_code: 'SUCCESS',
      results: [{ key: 'done', type: 'done', value: { found: 7 }, evidence_refs: [`${child}/ev_2`], trusted: true }],
      budget_used: { tool_calls: 2, steps: 2 },
    });
    expect(run.record?.lanes).toEqual([
      expect.objectContaining({ run_id: child, ruling: 'accepted', status: 'completed' }),
    ]);
  },
);

verifies('lane:spawn:own-trace-span', 'two lanes have two spans under the span of their parent', async () => {
  const worker = reader([LOOKING, LOOKING]);
  const lanes = [benchLane('first', worker), benchLane('second', worker)];
  const rig = laneRig([boss(lanes, [planOf([step('s1', 'first'), step('s2', 'second', ['s1'])])])]);
  const run = await rig.invoke();
  const children = await rig.lanes(run.runId);
  const contexts = await Promise.all(children.map(async (id) => (await rig.of(id, 'goal_received'))[0]?.lane));
  const spans = contexts.map((context) => context?.span_id);
  expect(new Set(spans).size).toBe(2);
  expect(new Set(contexts.map((context) => context?.parent_span_id)).size).toBe(1);
  expect(spans).not.toContain(contexts[0]?.parent_span_id);
  // Each lane made its call under its own span.
  const { resourceSpans } = await rig.runtime.records.otel(run.runId);
  const exported = resourceSpans[0].scopeSpans[0].spans;
  const calls = exported.filter(({ name }) => name === 'execute_tool look');
  expect(calls.map(({ parentSpanId }) => parentSpanId).toSorted()).toEqual(spans.toSorted());
  // All events of a lane are in its own journal, and the first one names its span.
  for (const [place, id] of children.entries()) {
    const [first, ...rest] = await rig.events(id);
    expect(first).toMatchObject({ type: 'goal_received', lane: { span_id: spans[place] } });
    expect(rest.length).toBeGreaterThan(5);
    expect((await rig.events(run.runId)).filter(({ type }) => type === 'step_observed')).toEqual([]);
  }
});

verifies(
  ['lane:spawn:own-tool-surface', 'topology:supervisor-worker:worker-tools-subset'],
  'a worker may use only the tools of its lane, not those of its supervisor',
  async () => {
    const peeking = reader([planOf([{ id: 'a', tool: 'peek' }]), planOf([{ id: 'b', tool: 'peek' }])]);
    const both = benchLane('both', peeking, { tools: ['look', 'peek'] });
    const delegate = benchLane('delegate', peeking, { tools: ['look'] });
    const rig = laneRig([boss([both, delegate], [planOf([step('s1', 'delegate')]), planOf([step('s2', 'finish')])])]);
    const run = await rig.invoke();
    const [child = ''] = await rig.lanes(run.runId);
    const [verified] = await rig.of(child, 'plan_verified');
    expect(verified?.problems).toContainEqual(expect.objectContaining({ code: 'tool_not_allowed' }));
    expect(await rig.of(child, 'step_attempted')).toEqual([]);
    expect(await rig.runtime.sessions.get(child)).toMatchObject({ terminalCode: 'PERMISSION_DENIED' });
    // The planning cost of the worker is charged to its parent.
    const { budget } = (await rig.runtime.records.replay(run.runId)).state;
    const own = (await rig.runtime.records.replay(child)).state.budget;
    expect(budget?.used.replan_attempts).toBe(1 + (own?.used.replan_attempts ?? 0));
    expect(budget?.used.lanes).toBe(1);
    expect(run.terminalCode).toBe('SUCCESS');
  },
);

test('rejects a lane with tools that its supervisor or its worker may not use', () => {
  const narrow = boss([benchLane('delegate', reader())], []);
  const { boundary } = narrow.spec;
  const allowed = boundary.tools.allowed.filter((tool) => tool !== 'peek');
  const spec = { ...narrow.spec, boundary: { ...boundary, tools: { ...boundary.tools, allowed } } };
  expect(() => laneRig([{ ...narrow, spec }])).toThrow(expect.objectContaining({ code: 'tool_not_allowed' }));
  expect(() => benchLane('delegate', reader(), { tools: ['finish'] })).toThrow(/reader may not use finish/);
});

const tokens = (input_tokens: number) => ({ input_tokens, output_tokens: 0, microusd: 0 });

verifies(
  'lane:spawn:own-token-budget',
  'a lane stops at its own token limit while its parent has budget left',
  async () => {
    const delegate = benchLane('delegate', reader(), { budget: { ...LANE_BUDGET, inputTokensMax: 100 } });
    const plans = [planOf([step('s1', 'delegate')]), planOf([step('s2', 'finish')])];
    const rig = laneRig([boss([delegate], plans, { ...LANE_CAPS, input_tokens_max: 10_000 })], {
      limits: { plannerCost: tokens(150) },
    });
    const run = await rig.invoke();
    const [child = ''] = await rig.lanes(run.runId);
    expect(await rig.runtime.sessions.get(child)).toMatchObject({
      terminalCode: 'BUDGET_EXHAUSTED',
      reason: 'budget_exhausted',
    });
    const [ended] = await rig.of(child, 'run_terminated');
    expect(ended?.detail).toMatchObject({ dimension: 'input_tokens', needed: 150, left: 100 });
    expect(await rig.of(child, 'step_attempted')).toEqual([]);
    expect(run.terminalCode).toBe('SUCCESS');
    const { state } = await rig.runtime.records.replay(run.runId);
    expect(state.budget?.caps.input_tokens_max).toBe(10_000);
  },
);

verifies(
  'lane:budget:charged-to-parent',
  'charges the spending of lanes to the parent, and opens no lane without budget',
  async () => {
    const two = (): Parameters<typeof boss>[0] => {
      const worker = benchAgent({ name: 'thinker', tools: LOOK, plans: [LOOKING, LOOKING], spent: tokens(100) });
      return ['first', 'second'].map((name) =>
        benchLane(name, worker, { budget: { ...LANE_BUDGET, inputTokensMax: 100 } }),
      );
    };
    const plan = planOf([step('s1', 'first'), step('s2', 'second', ['s1'])]);
    const limits = { plannerCost: tokens(100) };
    const rig = laneRig([boss(two(), [plan])], { limits });
    const run = await rig.invoke();
    const { budget } = (await rig.runtime.records.replay(run.runId)).state;
    expect(budget?.used).toMatchObject({ input_tokens: 200, tool_calls: 2, lanes: 2, steps: 4 });
    expect(budget?.reserved).toMatchObject({ input_tokens: 0, tool_calls: 0, lanes: 0 });

    const short = laneRig([boss(two(), [plan], { ...LANE_CAPS, input_tokens_max: 150 })], { limits });
    const denied = await short.invoke();
    expect(await short.lanes(denied.runId)).toHaveLength(1);
    expect(denied).toMatchObject({ status: 'paused', reason: 'budget_exhausted' });
    expect(denied.suspended?.detail).toMatchObject({ dimension: 'input_tokens', needed: 100, left: 50 });
  },
);
