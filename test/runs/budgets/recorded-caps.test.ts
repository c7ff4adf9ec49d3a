/** The caps of a run as its trace records them, and the amounts that are left when it stops. */
import { expect } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import { BUDGET_DIMENSIONS } from '../../../src/model/budget/dimensions.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { agentFor, CAPS, planOf, type Rig, rig, toolSpec } from '../rig.ts';

const LOOK = { look: { produces: ['done'] } };
const looks = (count: number) =>
  planOf(Array.from({ length: count }, (_, n) => ({ id: `s${n}`, tool: 'look', params: { n } })));

/** The caps in the trace of a run with one call under a shipped profile. */
async function capsOf(profile: AgentSpec['budget']['profile']): Promise<unknown> {
  const bench = rig({
    tools: LOOK,
    plans: [looks(1)],
    agent: (agent) => ({ ...agent, budget: { profile, overrides: {} } }),
  });
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  return (await bench.runtime.records.trace(runId)).budget_vector.caps;
}

verifies('budget:defaults-research:twelve-caps', 'a research run records its twelve caps', async () => {
  expect(await capsOf('research')).toMatchObject({
    steps_max: 15,
    tool_calls_max: 30,
    external_api_calls_max: 5,
    input_tokens_max: 200_000,
    output_tokens_max: 30_000,
    wall_clock_seconds_max: 300,
    inference_cost_usd_max: 2,
    retry_count_max: 3,
    reflection_passes_max: 1,
    context_tokens_max: 100_000,
    memory_writes_max: 2,
    side_effects_max: 0,
  });
});

verifies('budget:defaults-sre:twelve-caps', 'an incident run records its twelve caps', async () => {
  expect(await capsOf('incident_sre')).toMatchObject({
    steps_max: 10,
    tool_calls_max: 15,
    external_api_calls_max: 2,
    input_tokens_max: 100_000,
    output_tokens_max: 15_000,
    wall_clock_seconds_max: 120,
    inference_cost_usd_max: 1,
    retry_count_max: 2,
    reflection_passes_max: 1,
    context_tokens_max: 50_000,
    memory_writes_max: 0,
    side_effects_max: 0,
  });
});

/** A run whose first plan costs 0.5 USD and makes 12 calls, and whose second plan asks for one more call. */
function spender(caps: Partial<typeof CAPS>): Rig {
  const plans = Array.from({ length: 13 }, (_, n) =>
    planOf([{ id: `s${n}`, tool: n < 12 ? 'look' : 'finish', params: { n } }], { plan_id: `plan_${n}` }),
  );
  let asked = 0;
  const { propose } = scriptedPlanner(plans);
  const priced: typeof propose = async (...args) => {
    asked += 1;
    return { ...(await propose(...args)), spent: { ...NO_COST, microusd: asked === 1 ? 500_000 : 0 } };
  };
  return rig({
    tools: { look: {}, finish: { produces: ['done'] } },
    caps: { ...CAPS, ...caps },
    options: {
      planner: { propose: priced },
      graph: 'reactive',
      limits: { planning: 'stepwise', onEscalate: 'end' },
    } as never,
  });
}

/** The budget that the end of a run records. */
async function budgetAtEnd(bench: Rig): Promise<Readonly<Record<'caps' | 'used' | 'remaining', JsonObject>>> {
  const { runId } = await bench.invoke();
  const [ended] = eventsOf(await bench.events(runId), 'run_terminated');
  expect(ended).toMatchObject({ code: 'BUDGET_EXHAUSTED' });
  return ended?.detail?.['budget'] as never;
}

verifies(
  'budget:remaining:per-dimension-subtraction',
  'the end of a run records what is left of each cap',
  async () => {
    const bench = spender({ tool_calls_max: 30, inference_cost_usd_max: 2, steps_max: 12 });
    const { used, remaining } = await budgetAtEnd(bench);
    expect(used).toMatchObject({ tool_calls: 12, inference_cost_usd: 0.5, steps: 12 });
    expect(remaining).toMatchObject({ tool_calls: 18, inference_cost_usd: 1.5, steps: 0 });
  },
);

verifies('budget:remaining:per-dimension-subtraction', 'money that is left restores no call', async () => {
  const bench = spender({ tool_calls_max: 12, inference_cost_usd_max: 2 });
  const { remaining } = await budgetAtEnd(bench);
  expect(remaining).toMatchObject({ tool_calls: 0, inference_cost_usd: 1.5 });
  expect(bench.dispatches).toHaveLength(12);
});

verifies(
  'budget:vector:eleven-plus-steps',
  'the end of a run records each dimension as used and as remaining',
  async () => {
    const { caps, used, remaining } = await budgetAtEnd(spender({ steps_max: 12 }));
    expect(Object.keys(used).toSorted()).toEqual(Object.keys(remaining).toSorted());
    expect(Object.keys(used)).toEqual(expect.arrayContaining([...BUDGET_DIMENSIONS]));
    for (const dimension of BUDGET_DIMENSIONS)
      expect(Number(used[dimension]) + Number(remaining[dimension])).toBe(caps[`${dimension}_max`]);
  },
);

const composed = (overrides: AgentSpec['budget']['overrides'], profile: AgentSpec['budget']['profile']): unknown =>
  ambit({
    agent: { ...agentFor(['look']), budget: { profile, overrides } },
    tools: [{ spec: toolSpec('look', { produces: ['done'] }), execute: () => ({ ok: true }) }],
    planner: scriptedPlanner([]),
  });

verifies('budget:vector:eleven-plus-steps', 'an agent with a missing, negative or invalid cap is refused', () => {
  expect(() => composed(CAPS, 'customer_support')).not.toThrow();
  for (const cap of BUDGET_DIMENSIONS.map((dimension) => `${dimension}_max` as const)) {
    const { [cap]: stated, ...missing } = CAPS;
    // The caps of re-plans and lanes have defaults; every other cap is stated.
    expect(stated === undefined).toBe(['replan_attempts_max', 'lanes_max'].includes(cap));
    if (stated !== undefined)
      expect(() => composed(missing, 'customer_support')).toThrow(expect.objectContaining({ code: 'budget_invalid' }));
    for (const bad of [-1, Number.NaN])
      expect(() => composed({ ...CAPS, [cap]: bad }, 'customer_support')).toThrow(
        expect.objectContaining({ code: 'input_invalid', path: `/budget/overrides/${cap}` }),
      );
  }
});

verifies(
  'replan:budget:raise-needs-rationale',
  'four plans in one run need a rationale, which the trace keeps',
  async () => {
    const more = { ...CAPS, replan_attempts_max: 4 };
    expect(() => composed(more, 'customer_support')).toThrow(
      expect.objectContaining({
        code: 'replan_rationale_required',
        path: expect.stringContaining('replan_attempts_max'),
      }),
    );
    const explained = { ...more, replan_rationale: 'suppliers change their answers daily' };
    const bench = rig({ tools: LOOK, plans: [looks(1)], caps: explained });
    const { runId, terminalCode } = await bench.invoke();
    expect(terminalCode).toBe('SUCCESS');
    expect((await bench.runtime.records.trace(runId)).budget_vector.caps).toMatchObject({
      replan_attempts_max: 4,
      replan_rationale: 'suppliers change their answers daily',
    });
  },
);
