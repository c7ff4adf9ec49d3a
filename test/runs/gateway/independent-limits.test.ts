/** Tests that kernel and gateway count the calls of a run independently. */
import { expect } from 'vitest';
import { type TurnEnv, takeTurn } from '../../../src/kernel/machine/turn.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import { initialState } from '../../../src/kernel/transition/initial-state.ts';
import type { Budget } from '../../../src/model/budget/budget.ts';
import type { EventBody } from '../../../src/model/events/event.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { Cancellation } from '../../../src/ports/cancellation.ts';
import { createHost } from '../../../src/session/host.ts';
import { arrival, outsidePerformers } from '../../../src/session/perform/effects.ts';
import type { OutsidePerformers } from '../../../src/session/perform/performers.ts';
import { verifies } from '../../requirements/verifies.ts';
import { partsOf } from '../graphs/kernel.ts';
import { CAPS, planOf, REQUEST, type RigOptions } from '../rig.ts';

const CALLS_MAX = 3;

function endless(sent: string[]): RigOptions {
  return {
    tools: {
      flaky: {
        retries_max: 20,
        produces: ['done'],
        execute: () => {
          sent.push('flaky');
          throw new Error('not now');
        },
      },
    },
    plans: [planOf([{ id: 's1', tool: 'flaky' }])],
    caps: {
      ...CAPS,
      tool_calls_max: CALLS_MAX,
      external_api_calls_max: 3,
      retry_count_max: 20,
      replan_attempts_max: 0,
    },
    options: { limits: { retryBaseMs: 1, onEscalate: 'end' } },
  };
}

interface Stubs {
  readonly local?: TurnEnv['local'];
  readonly callTool?: OutsidePerformers['call_tool'];
  readonly after?: (state: RunState) => RunState;
}

interface Driven {
  readonly state: RunState;
  readonly observed: readonly Extract<EventBody, { type: 'step_observed' }>[];
}

/** Runs the loop with one of the two layers replaced by one that permits everything. */
async function driven(options: RigOptions, { local, callTool, after = (state) => state }: Stubs): Promise<Driven> {
  const { pins, ports, ...parts } = partsOf(options);
  const clock = { nowMs: () => 1_777_890_000_000 };
  const timer = { until: () => Promise.resolve() };
  const { turn } = createHost({ pins, ports: { ...ports, clock, timer }, ...parts });
  const by: TurnEnv = local === undefined ? turn : { ...turn, local };
  const outside = outsidePerformers(pins, ports);
  const observed: Extract<EventBody, { type: 'step_observed' }>[] = [];
  let state = initialState(pins.env);
  let input: EventBody | null = arrival(pins, ports, REQUEST);
  while (input !== null && observed.length < 15) {
    const taken = takeTurn(by, state, input, clock.nowMs());
    if (!taken.ok) throw taken.fault;
    state = after(taken.turn.state);
    input = null;
    for (const effect of taken.turn.outbox) {
      const context = { recall: new Cancellation(), onLateAnswer: () => undefined };
      if (effect.kind === 'propose_plan') input = (await outside.propose_plan(state, effect, context)).event;
      if (effect.kind !== 'call_tool') continue;
      const asked = { ...effect, not_before: 0, dispatch_before: Number.MAX_SAFE_INTEGER };
      const { event } = await (callTool ?? outside.call_tool)(state, asked, context);
      if (event.type === 'step_observed') observed.push(event);
      input = event;
    }
  }
  return { state, observed };
}

/** Resets the spent budget after every turn, so that the check of the kernel always passes. */
function neverSpends(): (state: RunState) => RunState {
  let fresh: Budget | null = null;
  return (state) => {
    if (state.budget === null) return state;
    const { used, roles } = fresh ?? state.budget;
    fresh ??= state.budget;
    const planner = { ...state.budget.roles.planner, used: roles.planner.used };
    const executor = { ...state.budget.roles.executor, used: roles.executor.used };
    const shares = { ...state.budget.roles, planner, executor };
    return { ...state, budget: { ...state.budget, used, roles: shares, retries_in_a_row: 0 } };
  };
}

verifies(
  'budget:layers:independent-enforcers',
  'the gateway stops a run at the cap even if the budget of the kernel never runs out',
  async () => {
    const sent: string[] = [];
    const { observed } = await driven(endless(sent), { after: neverSpends() });
    expect(sent).toHaveLength(CALLS_MAX);
    expect(observed.slice(0, CALLS_MAX).map(({ outcome }) => outcome)).toEqual(['error', 'error', 'error']);
    expect(observed[CALLS_MAX]).toMatchObject({ outcome: 'denied', detail: expect.stringContaining('3 tool calls') });
  },
);

verifies(
  'budget:layers:independent-enforcers',
  'the kernel ends a run at the cap even if the gateway lets every call pass',
  async () => {
    const sent: string[] = [];
    const options = endless(sent);
    const { turn } = createHost(partsOf(options));
    const local: TurnEnv['local'] = (state, effect) => {
      if (effect.kind !== 'clear_step') return turn.local(state, effect);
      const { step_id, args, args_hash } = effect;
      const event = { type: 'step_cleared', step_id, args, args_hash, mode: 'read_only', gates: [] } as const;
      return { event, blobs: [] };
    };
    const callTool: OutsidePerformers['call_tool'] = (_state, { call }) => {
      sent.push(call.tool);
      const about = { call_id: call.call_id, outcome: 'error', raw: null, detail: 'not now', spent: NO_COST } as const;
      return Promise.resolve({ event: { type: 'step_observed', ...about }, blobs: [] });
    };
    const { state } = await driven(options, { local, callTool });
    expect(sent).toHaveLength(CALLS_MAX);
    expect(state.ending.terminal).toMatchObject({ code: 'BUDGET_EXHAUSTED', detail: { dimension: 'tool_calls' } });
  },
);
