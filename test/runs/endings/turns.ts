/** A run that a test takes turn by turn: it says itself what the world answers, and when. */
import type { OutsideEffect } from '../../../src/kernel/effect-kinds.ts';
import type { KernelEnv } from '../../../src/kernel/env.ts';
import { initialState } from '../../../src/kernel/initial-state.ts';
import type { RunState } from '../../../src/kernel/state.ts';
import { type TurnEnv, takeTurn } from '../../../src/kernel/turn.ts';
import { clearedInFull } from '../../../src/model/cleared-in-full.ts';
import type { EventBody, EventOf, EventType, RunEvent } from '../../../src/model/event.ts';
import type { Fault } from '../../../src/model/fault.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import type { Plan } from '../../../src/model/plan.ts';
import type { PolicyDecision } from '../../../src/model/policy-decision.ts';
import { NO_COST } from '../../../src/model/tool.ts';
import { arrival } from '../../../src/session/effects.ts';
import { createHost } from '../../../src/session/host.ts';
import { partsOf } from '../graphs/kernel.ts';
import { REQUEST, type RigOptions, START_MS } from '../rig.ts';

export interface Turns {
  readonly env: KernelEnv;
  readonly state: RunState;
  readonly events: readonly RunEvent[];
  /** What the last turn wants of the world. */
  readonly outbox: readonly OutsideEffect[];
  /** Addresses of everything that was stored. */
  readonly stored: ReadonlySet<string>;
  /** One input, so many milliseconds after the start of the run; a refusal is the test's mistake. */
  say(input: EventBody, afterMs?: number): void;
  /** The reason why an input is refused. */
  refusal(input: EventBody, afterMs?: number): Fault;
}

export interface TurnsOptions extends RigOptions {
  /** What a test exchanges of those who answer on the spot. */
  readonly change?: (env: TurnEnv) => Partial<TurnEnv>;
  readonly request?: JsonObject;
}

/** Takes the goal in and goes as far as the first thing that the world has to answer. */
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
  /** Whoever answers names what they were shown, unless the test says otherwise. */
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

/** What the tool answers to the call that is under way. */
export function answered({ state }: Turns, changes: Partial<EventOf<'step_observed'>> = {}): EventBody {
  const call_id = state.current?.call?.callId ?? 'none';
  return { type: 'step_observed', call_id, outcome: 'ok', raw: { ok: true }, spent: NO_COST, ...changes };
}

export function eventsOf<T extends EventType>(events: readonly RunEvent[], type: T): readonly EventOf<T>[] {
  return events.filter((event) => event.type === type) as unknown as readonly EventOf<T>[];
}

/** What was decided about each call that was cleared, told in full. */
export const decidedAbout = (events: readonly RunEvent[]): readonly (PolicyDecision | undefined)[] =>
  events.map(clearedInFull()).flatMap((event) => (event.type === 'step_cleared' ? [event.policy] : []));
