/** Tests that tiers 6 and 7 run only with complete budget caps. */
import { expect } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import { frameEvents } from '../../../src/model/events/frame-events.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { createHost } from '../../../src/session/host.ts';
import { framesOf } from '../../../src/session/load.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, type Behaviour, CAPS, planOf, REQUEST, type Rig, type RigOptions, rig } from '../rig.ts';
import { partsOf, pathOf } from './kernel.ts';

const PLANS = [planOf([{ id: 'a', tool: 'finish' }])];

for (const dimension of Object.keys(CAPS)) {
  verifies('ladder:tier-6:budget-controller-mandatory', `no run can start without ${dimension}`, async () => {
    const { [dimension]: _, ...caps } = CAPS as Record<string, number>;
    const tools = { finish: { produces: ['done'] } };
    const option = dimension.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    const missing = expect.objectContaining({ code: 'budget_invalid', message: expect.stringContaining(option) });
    expect(() => rig({ tools, plans: PLANS, caps })).toThrow(missing);

    // A host without this check creates no manifest, and its runs end in State Init.
    const parts = partsOf({ tools, plans: PLANS });
    const agent = { ...parts.pins.agent, budget: { ...parts.pins.agent.budget, overrides: caps } };
    const run = await createHost({ ...parts, pins: { ...parts.pins, agent } }).start(REQUEST);
    const { ending, manifest, id } = await run.runUntilIdle();
    expect(ending.terminal).toMatchObject({ code: 'IMPOSSIBLE', reason: 'budget_invalid' });
    expect(manifest).toBeNull();
    const events = (await framesOf(parts.journal, id.runId)).flatMap(frameEvents);
    expect(pathOf(parts.pins.env, events).slice(-2)).toEqual(['state_init', 'terminate']);
  });
}

const ID = 'ladder:tier-7:sandbox-only-and-still-capped';
const openEnded = (environment: 'sandbox' | 'production'): ((agent: AgentSpec) => AgentSpec) => {
  const autonomy = { environment, tier: 7, needs: ['open_ended_exploration'], reasons: [] };
  return (agent) => ({ ...agent, autonomy });
};

verifies(ID, 'rejects tier 7 in production', () => {
  const agent = openEnded('production')(agentFor(['read']));
  const propose = (): never => {
    throw new Error('must not be called');
  };
  expect(() => ambit({ agent, tools: [], planner: { propose }, graph: 'reactive' })).toThrow(
    expect.objectContaining({ code: 'tier_not_allowed' }),
  );
});

/** A planner that always proposes one more step. */
function endless(caps: RigOptions['caps'], execute: (bench: () => Rig) => Behaviour): Rig {
  let asked = 0;
  const propose = async (): Promise<object> => {
    asked += 1;
    const proposal = planOf([{ id: `look_${asked}`, tool: 'read', params: { asked } }], { plan_id: `plan_${asked}` });
    return { proposal, author: 'model', spent: NO_COST, contextTokens: 0 };
  };
  const options = { graph: 'reactive', planner: { propose }, limits: { planning: 'stepwise', onEscalate: 'end' } };
  const bench: Rig = rig({
    tools: { read: { execute: execute(() => bench) } },
    agent: openEnded('sandbox'),
    ...(caps === undefined ? {} : { caps }),
    options: options as NonNullable<RigOptions['options']>,
  });
  return bench;
}

verifies(ID, 'ends an endless run in a sandbox when a budget is spent', async () => {
  const bench = endless({ ...CAPS, steps_max: 7 }, () => () => ({ ok: true }));
  const outcome = await bench.invoke();
  expect(outcome.terminalCode).toBe('BUDGET_EXHAUSTED');
  expect(bench.dispatches).toHaveLength(7);
});

verifies(ID, 'ends an endless run in a sandbox when the time is up', async () => {
  const bench = endless(
    { ...CAPS, steps_max: 1000, tool_calls_max: 1000, wall_clock_seconds_max: 20 },
    (running) => () => {
      running().clock.advanceTo(running().clock.nowMs() + 3_000);
      return { ok: true };
    },
  );
  const outcome = await bench.invoke();
  expect(outcome.terminalCode).toBe('TIMEOUT');
  expect(bench.dispatches.length).toBeLessThanOrEqual(7);
});
