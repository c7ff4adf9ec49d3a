/** The law about lanes says no to what it is there for. */
import { describe, expect, test } from 'vitest';
import type { RunState } from '../../src/kernel/state.ts';
import type { EffectOf } from '../../src/model/effect.ts';
import type { RunEvent } from '../../src/model/event.ts';
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

const seated = (seat: Partial<EffectOf<'spawn_lane'>['seat']>): Partial<Moment> => ({
  effects: [{ ...SPAWN, seat: { ...SPAWN.seat, ...seat } }],
});

describe('lanes stay below', () => {
  test('a lane as the kernel opens it is lawful', () => {
    expect(says({})).toBeNull();
  });

  test('with a tool, a depth or a budget that its parent has not left it', () => {
    expect(says(seated({ tools: ['rm'] }))).toContain('which the run above may not use');
    expect(says(seated({ depth: 2 }))).toContain('lies 2 deep');
    expect(says({ ...seated({ depth: 3 }), after: { ...STATE, seat: { ...SPAWN.seat, depth: 2 } } })).toContain(
      '3 deep',
    );
    expect(says(seated({ caps: { ...SPAWN.seat.caps, tool_calls_max: 99 } }))).toContain('more than was set aside');
  });

  test('for a call that changes something, or one that nobody approved', () => {
    expect(says({ effects: [{ ...SPAWN, call: { ...SPAWN.call, tool: 'pay' } }] })).toContain('pay went into a lane');
    expect(says({ effects: [{ ...SPAWN, call: { ...SPAWN.call, step_id: 'other' } }] })).toContain('verified plan');
  });

  test('more of them than may be open', () => {
    const [lane] = STATE.lanes ?? [];
    if (lane === undefined) throw new Error('no lane');
    const lanes = Array.from({ length: ENV.limits.laneFanoutMax + 1 }, () => lane);
    expect(says({ after: { ...STATE, lanes } })).toContain('open at once');
  });

  test('and what one of them says changes nothing by itself', () => {
    const event = { type: 'lane_returned', call_id: 'call_1', envelope: null, at: STATE.now } as RunEvent;
    const knows: RunState = { ...STATE, work: { ...STATE.work, evidenceByType: { done: 'ev_1' } } };
    expect(says({ event, after: knows, effects: [] })).toContain('changed what the run knows');
    const newer: RunState = { ...STATE, work: { ...STATE.work, version: 7 } };
    expect(says({ event, after: newer, effects: [] })).toContain('new version');
  });
});
