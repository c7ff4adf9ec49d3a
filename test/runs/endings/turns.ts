/** A run that a test drives turn by turn, supplying every outside answer itself. */

import type { KernelEnv } from '../../../src/kernel/env.ts';
import { type TurnEnv, takeTurn } from '../../../src/kernel/machine/turn.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import { initialState } from '../../../src/kernel/transition/initial-state.ts';
import type { OutsideEffect } from '../../../src/model/events/effect-kinds.ts';
import type { EventBody, EventOf, EventType, RunEvent } from '../../../src/model/events/event.ts';
import { resolveAsPlanned } from '../../../src/model/events/resolve-as-planned.ts';
import type { Fault } from '../../../src/model/fault/fault.ts';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import type { PolicyDecision } from '../../../src/model/policy/policy-decision.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { createHost } from '../../../src/session/host.ts';
import { arrival } from '../../../src/session/perform/effects.ts';
import { partsOf } from '../graphs/kernel.ts';
import { REQUEST, type RigOptions, START_MS } from '../rig.ts';

export interface Turns {
  readonly env: KernelEnv;
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  /** The outside effects of the last turn. */
  readonly outbox: readonly OutsideEffect[];
  /** Addresses of all stored blobs. */
  readonly stored: ReadonlySet<string>;
  /** Takes one input at a time relative to the start of the run; throws if it is refused. */
  say(input: EventBody, afterMs?: number): void;
  /** Returns the fault of an input that is refused; throws if it is accepted. */
  refusal(input: EventBody, afterMs?: number): Fault;
}

export interface TurnsOptions extends RigOptions {
  /** Replaces parts of the turn environment. */
  readonly change?: (env: TurnEnv) => Partial<TurnEnv>;
  readonly request?: JsonObject;
}

/** Starts a run and takes it to its first outside effect. */
export function turns({ change = () => ({}), request = {}, ...options }: TurnsOptions): Turns {
  const parts = partsOf(options);
  const shipped = createHost(parts).turn;
  const env: TurnEnv = { ...shipped, ...change(shipped) };
  const events: RunEvent[] = [];
  const stored = new Set<string>();
  let outbox: readonly OutsideEffect[] = [];
  let state = initialState(env.env);
  const take = (input: EventBody, afterMs: number): Fault | null => {
    const result = takeTurn(env, state, input, START_MS + afterMs);
    if (!result.ok) return result.fault;
    state = result.turn.state;
    outbox = result.turn.outbox;
    events.push(...result.turn.events);
    for (const { address } of result.turn.blobs) stored.add(address);
    return null;
  };
  /** Adds the hash of the shown packet to a decision, unless the test sets one. */
  const about = (input: EventBody): EventBody => {
    if (input.type !== 'escalation_decided' && input.type !== 'budget_extended') return input;
    const { escalation } = state.people;
    return escalation?.packetHash == null ? input : { packet_hash: escalation.packetHash, ...input };
  };
  const elapsed = (): number => Math.max(0, state.now - START_MS);
  const run: Turns = {
    env: env.env,
    get state() {
      return state;
    },
    get outbox() {
      return outbox;
    },
    events,
    stored,
    say: (input, afterMs = elapsed()) => {
      const fault = take(about(input), afterMs);
      if (fault !== null) throw fault;
    },
    refusal: (input, afterMs = elapsed()) => {
      const before = state;
      const fault = take(about(input), afterMs);
      if (fault === null || state !== before) throw new Error(`${input.type} was taken`);
      return fault;
    },
  };
  run.say(arrival(parts.pins, parts.ports, { ...REQUEST, ...request }), 0);
  return run;
}

export function proposed(plan: Plan, changes: Partial<EventOf<'plan_proposed'>> = {}): EventBody {
  const proposal = plan as unknown as Json;
  return { type: 'plan_proposed', proposal, author: 'model', spent: NO_COST, context_tokens: 0, ...changes };
}

/** The answer of the tool to the call in flight. */
export function answered({ state }: Turns, changes: Partial<EventOf<'step_observed'>> = {}): EventBody {
  const call_id = state.current?.call?.callId ?? 'none';
  return { type: 'step_observed', call_id, outcome: 'ok', raw: { ok: true }, spent: NO_COST, ...changes };
}

export function eventsOf<T extends EventType>(events: readonly RunEvent[], type: T): readonly EventOf<T>[] {
  return events.filter((event) => event.type === type) as unknown as readonly EventOf<T>[];
}

/** The complete policy decision of each cleared call. */
export const decidedAbout = (events: readonly RunEvent[]): readonly (PolicyDecision | undefined)[] =>
  events.map(resolveAsPlanned()).flatMap((event) => (event.type === 'step_cleared' ? [event.policy] : []));
