/** An unknown decision is a fault, at every kind of gate and at an escalation: the state stays the same object. */
import { describe, expect, test } from 'vitest';
import type { KernelEnv } from '../../src/kernel/env.ts';
import { step } from '../../src/kernel/machine/step.ts';
import { isRollingBack } from '../../src/kernel/state/lifecycle.ts';
import type { RunState } from '../../src/kernel/state/run-state.ts';
import { initialState } from '../../src/kernel/transition/initial-state.ts';
import type { RunEvent } from '../../src/model/events/event.ts';
import { GATE_KINDS, type GateKind } from '../../src/model/gate/gate.ts';
import { deepFreeze } from '../../src/model/json/freeze.ts';
import { SIMULATOR } from '../simulation/parts.ts';

/** The state in which a simulated run took a decision, and that decision. */
interface Decided {
  readonly env: KernelEnv;
  readonly state: RunState;
  readonly event: RunEvent;
}

const SEEDS_MAX = 3_000;
/** The kernel opens gates of these kinds today. The other kinds are made from an action gate by changing its kind. */
const SEEN = ['action', 'plan', 'scope', 'memory', 'rollback', 'escalation'];

const found = decisionsByKind();

function decisionsByKind(): ReadonlyMap<string, Decided> {
  const decisions = new Map<string, Decided>();
  for (let seed = 1; seed <= SEEDS_MAX && decisions.size < SEEN.length; seed += 1) {
    const { frames, pinned } = SIMULATOR.journal(seed);
    let state = initialState(pinned.env);
    for (const event of frames.flatMap((frame) => JSON.parse(frame.events) as readonly RunEvent[])) {
      const kind = kindOf(state, event);
      const [next, , fault] = step(pinned.env, state, event);
      if (kind !== null && fault === undefined && !decisions.has(kind)) {
        decisions.set(kind, { env: pinned.env, state: deepFreeze(state), event });
      }
      state = next;
    }
  }
  return decisions;
}

function kindOf(state: RunState, event: RunEvent): string | null {
  if (event.type === 'escalation_decided') return 'escalation';
  if (event.type !== 'gate_decided') return null;
  if (isRollingBack(state)) return 'rollback';
  return state.people.gates.find(({ gateId }) => gateId === event.gate_id)?.kind ?? null;
}

function decidedAt(kind: string): Decided {
  const decided = found.get(kind);
  if (decided === undefined) throw new Error(`no simulated run decides at a gate of kind ${kind}`);
  return decided;
}

/** The decision at a gate of this kind. For a kind that no run opens, an action gate with its kind changed. */
function decidedAtGate(kind: GateKind): Decided {
  if (found.has(kind)) return decidedAt(kind);
  const { env, state, event } = decidedAt('action');
  const gates = state.people.gates.map((gate) => ({ ...gate, kind }));
  return { env, state: deepFreeze({ ...state, people: { ...state.people, gates } }), event };
}

function expectRefused({ env, state, event }: Decided, decision: unknown): void {
  const [next, effects, fault] = step(env, state, { ...event, decision } as unknown as RunEvent);
  expect(fault?.code).toBe('event_invalid');
  expect(next).toBe(state);
  expect(effects).toEqual([]);
}

const UNKNOWN = ['maybe', 'APPROVE', 'approved', '', 'constructor', '__proto__', null, 1, true, ['approve']].map(
  (decision) => ({
    decision,
  }),
);

test('simulated runs decide at gates of every kind that the kernel opens', () => {
  expect([...found.keys()].sort()).toEqual([...SEEN].sort());
});

describe.each(GATE_KINDS)('at a gate of kind %s', (kind) => {
  test.each(UNKNOWN)('the decision $decision is a fault and changes nothing', ({ decision }) => {
    expectRefused(decidedAtGate(kind), decision);
  });
});

test('an unknown decision that names a person to ask is refused for its decision', () => {
  const { env, state, event } = decidedAt('action');
  const [next, , fault] = step(env, state, { ...event, decision: 'toString', asks: 'ana' } as unknown as RunEvent);
  expect(fault).toMatchObject({ code: 'event_invalid', path: '/decision' });
  expect(next).toBe(state);
});

describe.each(['rollback', 'escalation'])('in a %s', (kind) => {
  test.each(UNKNOWN)('the decision $decision is a fault and changes nothing', ({ decision }) => {
    expectRefused(decidedAt(kind), decision);
  });
});
