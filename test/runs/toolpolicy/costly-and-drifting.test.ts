/** Costly tools, tools whose output drifts during a run, and the classification of tools. */
import { expect } from 'vitest';
import { tool } from '../../../src/gateway/tool/tool.ts';
import { ApprovalMode } from '../../../src/model/gate/approval-mode.ts';
import { ToolSpec } from '../../../src/model/tool/tool.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { planOf, type RigOptions, rig, toolSpec } from '../rig.ts';
import { expectGate, invokeCall } from './bench.ts';

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
const planUsing = (name: string, n = 1) => planOf([{ id: 'a', tool: name, params: { n } }], { plan_id: `plan_${n}` });

const rigPlanning = (
  tools: NonNullable<RigOptions['tools']>,
  risk: 'low' | 'high' = 'low',
  plans = ['paid', 'calculator'],
) =>
  rig({
    tools,
    plans: plans.map((name, place) => planUsing(name, place)),
    agent: (agent) => ({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, risk })) }),
    options: { limits: { onEscalate: 'end' } },
  });

verifies(COSTLY, 'rejects a paid tool for what the calculator can do, and names the calculator', async () => {
  const bench = rigPlanning({ paid: PAID, calculator: CALCULATOR });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches.map((each) => each.tool)).toEqual(['calculator']);
  const { reason } = bench.planner.requests[1] ?? {};
  expect(reason).toMatchObject({
    code: 'tool_overreach',
    detail: { problems: [{ detail: { instead: ['calculator'] } }] },
  });
});

verifies(COSTLY, 'allows it without a cheaper tool, at higher risk, or after the cheaper one failed', async () => {
  const { equivalents: _, ...alone } = PAID;
  for (const bench of [
    rigPlanning({ paid: alone, calculator: CALCULATOR }),
    rigPlanning({ paid: PAID, calculator: { ...CALCULATOR, active: false } }),
    rigPlanning({ paid: PAID, calculator: { ...CALCULATOR, external: true } }),
    rigPlanning({ paid: PAID, calculator: CALCULATOR }, 'high'),
  ]) {
    await bench.invoke();
    expect(bench.dispatches.map((each) => each.tool)).toEqual(['paid']);
  }
  const broken = { ...CALCULATOR, retries_max: 0, execute: () => Promise.reject(new Error('out of order')) };
  const fallen = rigPlanning({ paid: PAID, calculator: broken }, 'low', ['calculator', 'paid']);
  expect(await fallen.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
});

const VERSIONED = {
  produces: ['done'],
  output_schema: {
    type: 'object',
    properties: { schema_version: { const: '1' }, total: { type: 'integer' } },
    required: ['schema_version', 'total'],
  },
  execute: () => ({ schema_version: '2', sum: { value: 7 } }),
} as const;

verifies(DRIFT, 'a drifted tool is blocked for the run, its output is kept, and other tools continue', async () => {
  const bench = rig({
    tools: { prices: VERSIONED, other: { produces: ['done'] } },
    plans: [planUsing('prices', 1), planUsing('prices', 2), planUsing('other', 3)],
  });
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches.map((each) => each.tool)).toEqual(['prices', 'other']);
  const events = await bench.events(outcome.runId);
  expect(eventsOf(events, 'step_observed')[0]).toMatchObject({ raw: { schema_version: '2', sum: { value: 7 } } });
  expect(bench.planner.requests[2]?.reason).toMatchObject({ code: 'tool_drifted', step_id: 'a' });
  await bench.runtime.records.replay(outcome.runId);
});

verifies(DRIFT, 'retries an answer that is invalid without drift', async () => {
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
    plans: [planUsing('prices')],
  });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toHaveLength(2);
});

verifies(CLASS, 'rejects a tool without an approval mode', () => {
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

verifies(CLASS, 'rejects a plan that declares a write as a read', async () => {
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

verifies(CLASS, 'a missing or unknown operation needs approval, and a category without rules is rejected', async () => {
  const rules = { operation: { at: '/method', free: ['GET'] } };
  await expectGate(await invokeCall({ category: 'live_api', rules }, { method: 'PROPFIND' }), 'GATE_API_CHANGE');
  await expectGate(await invokeCall({ category: 'live_api', rules }, {}), 'GATE_API_CHANGE');
  for (const category of ['file_system', 'database', 'email_calendar', 'payment', 'infrastructure'] as const) {
    await expect(invokeCall({ category }, {})).rejects.toMatchObject({ code: 'input_invalid' });
    await expect(invokeCall({ category, rules: { operation: 'free' } }, {})).rejects.toMatchObject({
      code: 'input_invalid',
    });
  }
});
