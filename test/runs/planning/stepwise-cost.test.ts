/** Tests that a step of a long stepwise run costs no more than one of its first steps. */
import { expect, test } from 'vitest';
import { type TurnEnv, takeTurn } from '../../../src/kernel/machine/turn.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import { initialState } from '../../../src/kernel/transition/initial-state.ts';
import type { EventBody } from '../../../src/model/events/event.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { createHost } from '../../../src/session/host.ts';
import { arrival } from '../../../src/session/perform/effects.ts';
import { proposed } from '../endings/turns.ts';
import { partsOf } from '../graphs/kernel.ts';
import { CAPS, planOf, REQUEST, type RigOptions } from '../rig.ts';
import { countedReads } from './counted-reads.ts';

const MANY = 1_000_000;
/** The time between turns, long enough for any limit on calls per minute. */
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

/** One action cycle: plans the next step, citing the first and the last observation, and carries it out. */
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

test('a step after four thousand reads at most 1.5 times as much state as one after five hundred', () => {
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
  // The trees are a few levels deeper; a copy or a linear search would add thousands of reads.
  expect(many).toBeLessThan(few * 1.5);
});
