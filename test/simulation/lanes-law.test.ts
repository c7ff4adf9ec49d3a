/** Runs that break the law on lanes. */
import { describe, expect, test } from 'vitest';
import type { RunState } from '../../src/kernel/state/run-state.ts';
import type { EffectOf } from '../../src/model/events/effect.ts';
import type { RunEvent } from '../../src/model/events/event.ts';
import { lanesStayBelow } from '../../src/testing/simulator/laws/lanes-stay-below.ts';
import type { Moment, Witness } from '../../src/testing/simulator/laws/law.ts';
import { proposed, turns } from '../runs/endings/turns.ts';
import { kernelOf } from '../runs/graphs/kernel.ts';
import { benchAgent, benchLane } from '../runs/lanes/bench.ts';
import { CAPS, planOf, type RigOptions } from '../runs/rig.ts';

const worker = benchAgent({ name: 'reader', tools: { look: { produces: ['done'] } }, plans: [] });
const { name: _, ...delegate } = benchLane('delegate', worker).spec;
const OPTIONS: RigOptions = {
  tools: { delegate, look: { produces: ['done'] }, pay: { side_effect: true, approval_mode: 'local_write' } },
  caps: { ...CAPS, lanes_max: 3 },
};

const run = turns(OPTIONS);
run.say(proposed(planOf([{ id: 's1', tool: 'delegate' }])));
const STATE: RunState = run.state;
const [SPAWN] = run.outbox as readonly [EffectOf<'spawn_lane'>];
const ENV = kernelOf(OPTIONS);

const witness = (): Witness =>
  ({
    scenario: { graph: 'plan_first', pins: { env: ENV } },
    approvals: [],
    tools: { dispatches: [], effects: new Map() },
    blobs: new Map(),
    frames: () => [],
  }) as unknown as Witness;

function says(changes: Partial<Moment>): string | null {
  const event: RunEvent = { type: 'step_attempted', at: STATE.now } as RunEvent;
  const moment: Moment = { before: STATE, event, after: STATE, effects: [SPAWN], ...changes };
  return lanesStayBelow(witness()).event?.(moment) ?? null;
}

const spawnWith = (changes: Partial<EffectOf<'spawn_lane'>['laneContext']>): Partial<Moment> => ({
  effects: [{ ...SPAWN, laneContext: { ...SPAWN.laneContext, ...changes } }],
});

describe('lanes stay below', () => {
  test('accepts a lane as the kernel opens it', () => {
    expect(says({})).toBeNull();
  });

  test("is broken by a tool, a depth or a budget beyond the parent's", () => {
    expect(says(spawnWith({ tools: ['rm'] }))).toContain('which the run above may not use');
    expect(says(spawnWith({ depth: 2 }))).toContain('lies 2 deep');
    expect(
      says({ ...spawnWith({ depth: 3 }), after: { ...STATE, laneContext: { ...SPAWN.laneContext, depth: 2 } } }),
    ).toContain('3 deep');
    expect(says(spawnWith({ caps: { ...SPAWN.laneContext.caps, tool_calls_max: 99 } }))).toContain(
      'more than was set aside',
    );
  });

  test('is broken by a lane for a call with side effects or outside the verified plan', () => {
    expect(says({ effects: [{ ...SPAWN, call: { ...SPAWN.call, tool: 'pay' } }] })).toContain('pay went into a lane');
    expect(says({ effects: [{ ...SPAWN, call: { ...SPAWN.call, step_id: 'other' } }] })).toContain('verified plan');
  });

  test('is broken by too many open lanes', () => {
    const [lane] = STATE.lanes ?? [];
    if (lane === undefined) throw new Error('no lane');
    const lanes = Array.from({ length: ENV.limits.laneFanoutMax + 1 }, () => lane);
    expect(says({ after: { ...STATE, lanes } })).toContain('open at once');
  });

  test("is broken by a lane's return that changes evidence or the version", () => {
    const event = { type: 'lane_returned', call_id: 'call_1', envelope: null, at: STATE.now } as RunEvent;
    const knows: RunState = { ...STATE, work: { ...STATE.work, evidenceByType: { done: 'ev_1' } } };
    expect(says({ event, after: knows, effects: [] })).toContain('changed what the run knows');
    const newer: RunState = { ...STATE, work: { ...STATE.work, version: 7 } };
    expect(says({ event, after: newer, effects: [] })).toContain('new version');
  });
});
