/** Tools that cost more than they have to, tools that change under a run, and who says what a tool is. */
import { expect } from 'vitest';
import { tool } from '../../../src/gateway/tool/tool.ts';
import { ApprovalMode } from '../../../src/model/approval-mode.ts';
import { ToolSpec } from '../../../src/model/tool.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { planOf, type RigOptions, rig, toolSpec } from '../rig.ts';
import { call, expectAsked } from './bench.ts';

const COSTLY = 'pathology:tool-overreach:costly-tool-for-simple-task';
const DRIFT = 'pathology:parser-drift:halt-tool-path-keep-raw';
const CLASS = 'toolpolicy:classification:unknown-risk-is-highest';

const PAID = {
  external: true,
  produces: ['done'],
  cost: { input_tokens: 0, output_tokens: 0, microusd: 5_000 },
  equivalents: ['calculator'],
} as const;
const CALCULATOR = { category: 'sandbox_code', produces: ['done'] } as const;
const use = (name: string, n = 1) => planOf([{ id: 'a', tool: name, params: { n } }], { plan_id: `plan_${n}` });

const adding = (
  tools: NonNullable<RigOptions['tools']>,
  risk: 'low' | 'high' = 'low',
  plans = ['paid', 'calculator'],
) =>
  rig({
    tools,
    plans: plans.map((name, place) => use(name, place)),
    agent: (agent) => ({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, risk })) }),
    options: { limits: { onEscalate: 'end' } },
  });

verifies(
  COSTLY,
  'a paid interface is not called for what the calculator can do, and the calculator is named',
  async () => {
    const bench = adding({ paid: PAID, calculator: CALCULATOR });
    expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches.map((each) => each.tool)).toEqual(['calculator']);
    const { reason } = bench.planner.requests[1] ?? {};
    expect(reason).toMatchObject({
      code: 'tool_overreach',
      detail: { problems: [{ detail: { instead: ['calculator'] } }] },
    });
  },
);

verifies(
  COSTLY,
  'without a cheaper one, where more is at stake, or once that one has failed, it may be called',
  async () => {
    const { equivalents: _, ...alone } = PAID;
    for (const bench of [
      adding({ paid: alone, calculator: CALCULATOR }),
      adding({ paid: PAID, calculator: { ...CALCULATOR, active: false } }),
      adding({ paid: PAID, calculator: { ...CALCULATOR, external: true } }),
      adding({ paid: PAID, calculator: CALCULATOR }, 'high'),
    ]) {
      await bench.invoke();
      expect(bench.dispatches.map((each) => each.tool)).toEqual(['paid']);
    }
    const broken = { ...CALCULATOR, retries_max: 0, execute: () => Promise.reject(new Error('out of order')) };
    const fallen = adding({ paid: PAID, calculator: broken }, 'low', ['calculator', 'paid']);
    expect(await fallen.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  },
);

const VERSIONED = {
  produces: ['done'],
  output_schema: {
    type: 'object',
    properties: { schema_version: { const: '1' }, total: { type: 'integer' } },
    required: ['schema_version', 'total'],
  },
  execute: () => ({ schema_version: '2', sum: { value: 7 } }),
} as const;

verifies(
  DRIFT,
  'an answer of another version: that tool is out for the run, its words are kept, others go on',
  async () => {
    const bench = rig({
      tools: { prices: VERSIONED, other: { produces: ['done'] } },
      plans: [use('prices', 1), use('prices', 2), use('other', 3)],
    });
    const outcome = await bench.invoke();
    expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches.map((each) => each.tool)).toEqual(['prices', 'other']);
    const events = await bench.events(outcome.runId);
    expect(eventsOf(events, 'step_observed')[0]).toMatchObject({ raw: { schema_version: '2', sum: { value: 7 } } });
    expect(bench.planner.requests[2]?.reason).toMatchObject({ code: 'tool_drifted', step_id: 'a' });
    await bench.runtime.replay(outcome.runId);
  },
);

verifies(DRIFT, 'an answer that is merely wrong is asked for again', async () => {
  let calls = 0;
  const bench = rig({
    tools: {
      prices: {
        ...VERSIONED,
        execute: () => {
          calls += 1;
          return calls === 1 ? { schema_version: '1' } : { schema_version: '1', total: 7 };
        },
      },
    },
    plans: [use('prices')],
  });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toHaveLength(2);
});

verifies(CLASS, 'a tool that does not say what it may do is not registered', () => {
  const schema = { type: 'object' } as const;
  const declare = {
    name: 'wipe',
    description: 'Wipes',
    inputSchema: schema,
    outputSchema: schema,
    execute: () => ({}),
  };
  expect(() => tool(declare as never)).toThrow(/approvalMode is missing/);
  const { approval_mode: _, ...unlabelled } = toolSpec('wipe');
  expect(ToolSpec.safeParse(unlabelled).success).toBe(false);
  expect(ToolSpec.safeParse({ ...toolSpec('wipe'), category: 'harmless' }).success).toBe(false);
  expect(ApprovalMode.safeParse('unknown').success).toBe(false);
});

verifies(CLASS, 'a model that calls a write a read is not believed', async () => {
  const bench = rig({
    tools: { wipe: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_WIPE'], produces: ['done'] } },
    plans: [
      planOf([{ id: 'a', tool: 'wipe', approval_mode: 'read_only' }]),
      planOf([{ id: 'a', tool: 'wipe', requires: ['GATE_WIPE'] }], { plan_id: 'plan_2' }),
    ],
  });
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ status: 'awaiting_gate', pending: [{ name: 'GATE_WIPE' }] });
  expect(bench.planner.requests[1]?.reason?.message).toContain('declares read_only');
  expect(bench.dispatches).toEqual([]);
});

verifies(
  CLASS,
  'rules that leave out how calls are told apart, or a word nobody foresaw, make a call one to be asked about',
  async () => {
    const rules = { operation: { at: '/method', free: ['GET'] } };
    await expectAsked(await call({ category: 'live_api', rules }, { method: 'PROPFIND' }), 'GATE_API_CHANGE');
    await expectAsked(await call({ category: 'live_api', rules }, {}), 'GATE_API_CHANGE');
    for (const category of ['file_system', 'database', 'email_calendar', 'payment', 'infrastructure'] as const) {
      await expect(call({ category }, {})).rejects.toMatchObject({ code: 'input_invalid' });
      await expect(call({ category, rules: { operation: 'free' } }, {})).rejects.toMatchObject({
        code: 'input_invalid',
      });
    }
  },
);
