/** A planner that plans one step at a time, for thousands of steps: the last one costs what the first ones did. */
import { expect, test } from 'vitest';
import { initialState } from '../../../src/kernel/initial-state.ts';
import type { RunState } from '../../../src/kernel/state.ts';
import { type TurnEnv, takeTurn } from '../../../src/kernel/turn.ts';
import type { EventBody } from '../../../src/model/event.ts';
import { NO_COST } from '../../../src/model/tool.ts';
import { arrival } from '../../../src/session/effects.ts';
import { createHost } from '../../../src/session/host.ts';
import { proposed } from '../endings/turns.ts';
import { partsOf } from '../graphs/kernel.ts';
import { CAPS, planOf, REQUEST, type RigOptions } from '../rig.ts';
import { countedReads } from './counted-reads.ts';

const MANY = 1_000_000;
/** Slow enough for any limit on calls per minute. */
const PACE_MS = 2_000;
const OPTIONS: RigOptions = {
  tools: { read: { produces: ['page'] }, finish: { produces: ['done'] } },
  caps: {
    ...CAPS,
    steps_max: MANY,
    tool_calls_max: MANY,
    external_api_calls_max: MANY,
    replan_attempts_max: MANY,
    replan_rationale: 'every step is planned on its own',
    wall_clock_seconds_max: MANY,
  },
  options: { graph: 'reactive', limits: { reactStepsMax: 10_000 } },
};

function take(env: TurnEnv, state: RunState, input: EventBody): RunState {
  const result = takeTurn(env, state, input, state.now + PACE_MS);
  if (!result.ok) throw result.fault;
  return result.turn.state;
}

/** One action cycle: the next step is planned, justified by the first and the last observation, and carried out. */
function cycle(env: TurnEnv, state: RunState): RunState {
  const n = state.work.evidence.size + 1;
  const because = n === 1 ? [] : ['ev_1', `ev_${n - 1}`];
  const inputs = n === 1 ? [] : ['page_1', `page_${n - 1}`];
  const step = { id: `s${n}`, tool: 'read', params: { n }, context_key: `page_${n}`, because, inputs };
  const acting = take(env, state, proposed(planOf([step], { plan_id: `plan_${n}` })));
  const call_id = acting.current?.call?.callId ?? 'none';
  const raw = { page: n };
  return take(env, acting, { type: 'step_observed', call_id, outcome: 'ok', raw, spent: NO_COST });
}

test('a step after four thousand looks at hardly more than one after five hundred', () => {
  const parts = partsOf(OPTIONS);
  const env = createHost(parts).turn;
  let state = take(env, initialState(env.env), arrival(parts.pins, parts.ports, REQUEST));
  const readsAfter = (steps: number): number => {
    while (state.work.evidence.size < steps) state = cycle(env, state);
    expect(state).toMatchObject({ session: { status: 'in_progress' }, ending: { inFlight: 'plan', stops: [] } });
    const counted = countedReads(state);
    const next = cycle(env, counted.value);
    expect(next.work.evidence.size).toBe(steps + 1);
    return counted.reads();
  };
  const [few, many] = [readsAfter(500), readsAfter(4_000)];
  expect(few).toBeGreaterThan(100);
  // The trees are a few levels deeper; anything that is copied or searched through adds thousands.
  expect(many).toBeLessThan(few * 1.5);
});
