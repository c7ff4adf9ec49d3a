import {
  callPolicy,
  type Derived,
  envAt,
  initialState,
  type KernelEnv,
  type RunState,
  type Turn,
  takeTurn,
} from '../kernel/index.ts';
import { approvalsFor } from '../model/critic/decision.ts';
import { type LocalEffect, type OutsideEffect, unhandledEffect } from '../model/events/effect-kinds.ts';
import type { EventBody } from '../model/events/event.ts';
import type { Frame } from '../model/events/frame.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import { type ResolvedBody, type ResolvedEvent, resolveAsPlanned } from '../model/events/resolve-as-planned.ts';
import { Fault } from '../model/fault/fault.ts';
import type { TerminalCode } from '../model/fault/terminal-code.ts';
import { GATE_MODE_APPROVAL } from '../model/gate/gate.ts';
import { BOUNDARY_GATE } from '../model/policy/boundary.ts';
import { type PolicyDecision, whyForbidden } from '../model/policy/policy-decision.ts';
import { type DecisionDifference, decisionDifferences, decisionsIn } from './diff-runs.ts';
import { possibleInputs } from './inputs.ts';
import { type RecordedAnswers, type ReplayEnv, recordedAnswers, replayRun } from './replay.ts';

type Cleared = ResolvedBody<'step_cleared'>;
type Refused = Extract<EventBody, { readonly type: 'step_refused' }>;

/**
 * The gateway's answer to a call under other policies. The recorded answers of its other layers still hold. If only the
 * policies refused the call, the layers after them never saw it and the answer is unknown. The answer is in full form,
 * because the short form refers to the policies of the other run.
 */
function reclear(env: KernelEnv, state: RunState, effect: LocalEffect, answer: Derived): Derived {
  const { event } = answer;
  if (effect.kind !== 'clear_step' || (event.type !== 'step_cleared' && event.type !== 'step_refused')) return answer;
  const answered = event as Cleared | Refused;
  const decision = callPolicy(env, state)?.() ?? null;
  if (decision?.version === answered.policy?.version && decision?.effect === answered.policy?.effect) return answer;
  const anew =
    answered.type === 'step_cleared'
      ? afterPass(envAt(env, state), effect.tool, answered, decision)
      : afterNo(answered, decision);
  return { event: anew, blobs: answer.blobs };
}

function afterPass(env: KernelEnv, tool: string, event: Cleared, decision: PolicyDecision | null): EventBody {
  const { policy: before, ...rest } = event;
  if (decision?.effect === 'forbid') return refusedBy(event.step_id, tool, decision);
  const asked = new Set([...(env.tools.get(tool)?.gates ?? []), ...approvalsFor(env.catalog, tool)]);
  const only = (before?.gates ?? []).filter((gate) => !asked.has(gate) && !GATES_OF_OTHERS.has(gate));
  const kept = event.gates.filter((gate) => !only.includes(gate));
  if (decision === null) return { ...rest, gates: kept };
  return { ...rest, gates: [...new Set([...kept, ...decision.gates])], policy: decision };
}

/** Gates that come from other sources than the policies. */
const GATES_OF_OTHERS: ReadonlySet<string> = new Set([GATE_MODE_APPROVAL, BOUNDARY_GATE]);

function afterNo(event: Refused, decision: PolicyDecision | null): EventBody {
  const byPolicy = event.policy?.effect === 'forbid';
  if (decision?.effect === 'forbid') return byPolicy ? { ...event, ...refusalUnder(event, decision) } : event;
  if (!byPolicy) return event;
  const message = `${event.step_id} was kept back by the policies, so the layers behind them were never asked`;
  throw new Fault('replay_input_missing', message);
}

const refusalUnder = (
  { message }: Refused,
  policy: PolicyDecision,
): Pick<Refused, 'message'> & { readonly policy: PolicyDecision } => ({
  message: `${message.slice(0, message.indexOf(' is forbidden'))} is forbidden: ${whyForbidden(policy)}`,
  policy,
});

const refusedBy = (step_id: string, tool: string, policy: PolicyDecision): EventBody => ({
  type: 'step_refused',
  step_id,
  layer: 'permission',
  code: 'permission_denied',
  message: `${tool} is forbidden: ${whyForbidden(policy)}`,
  missing: [],
  policy,
});

/** The decisions of a run under other rules, as far as the record allows. */
export interface WhatIf {
  readonly decisions: readonly DecisionDifference[];
  readonly recorded: TerminalCode | null;
  /** Null if the other run would continue beyond the record. */
  readonly derived: TerminalCode | null;
  /** The frame from which the other run asks for something that was not recorded. Null if there is none. */
  readonly unknownFrom: UnknownFrom | null;
}

export interface UnknownFrom {
  readonly frame: number;
  readonly why: string;
}

/**
 * Takes the turns of a recorded run under other rules, without calling anything. Recorded inputs are reused as long as
 * the other run asks for the same; the result names the point from which it does not.
 */
export function whatIf(recordedBy: ReplayEnv, otherwise: ReplayEnv, frames: readonly Frame[]): WhatIf {
  const { turns, state: ended } = replayRun(recordedBy, frames);
  const other = takeOtherwise(otherwise, frames, turns);
  const decided = turns.slice(0, other.turns.length).flatMap(({ events }) => events);
  return {
    decisions: decisionDifferences(decisionsIn(decided), decisionsIn(other.turns.flatMap(({ events }) => events))),
    recorded: ended.ending.terminal?.code ?? null,
    derived: other.turns.at(-1)?.state.ending.terminal?.code ?? null,
    unknownFrom: other.unknownFrom,
  };
}

interface Otherwise {
  readonly turns: readonly Turn[];
  readonly unknownFrom: UnknownFrom | null;
}

function takeOtherwise(otherwise: ReplayEnv, frames: readonly Frame[], recorded: readonly Turn[]): Otherwise {
  const turns: Turn[] = [];
  let state = initialState(otherwise.env);
  const inFull = resolveAsPlanned();
  for (const [place, frame] of frames.entries()) {
    if (state.ending.terminal !== null) return { turns, unknownFrom: null };
    // Expanded with the recorded plan, not with the plan of the other run.
    const events = frameEvents(frame).map(inFull);
    const taken = takeFrame(otherwise, state, frame, events);
    if (typeof taken === 'string') return { turns, unknownFrom: { frame: frame.seq, why: taken } };
    turns.push(taken.turn);
    if (taken.lacking !== null) return { turns, unknownFrom: { frame: frame.seq, why: taken.lacking } };
    state = taken.turn.state;
    if (state.ending.terminal !== null) continue;
    const why = asksOtherwise(recorded[place], taken.turn);
    if (why !== null) return { turns, unknownFrom: { frame: frame.seq + 1, why } };
  }
  const goesOn = state.ending.terminal === null && recorded.at(-1)?.state.ending.terminal !== null;
  return { turns, unknownFrom: goesOn ? { frame: frames.length + 1, why: waitsFor(state) } : null };
}

interface Taken {
  readonly turn: Turn;
  /** The local effect whose answer is not on record; null if none is missing. */
  readonly lacking: string | null;
}

/** The turn, or why the recorded input does not fit. */
function takeFrame(
  { env, critic }: ReplayEnv,
  state: RunState,
  frame: Frame,
  events: readonly ResolvedEvent[],
): Taken | string {
  let refusal = 'the frame holds no event';
  for (const input of possibleInputs(events)) {
    let lacking: string | null = null;
    const answers = recordedAnswers(events, frame.seq);
    const local = (now: RunState, effect: LocalEffect): Derived => {
      try {
        return reclear(env, now, effect, answerOf(answers, effect));
      } catch (error) {
        lacking ??= `${effect.kind} was not asked then: ${Fault.is(error) ? error.message : String(error)}`;
        throw error;
      }
    };
    const result = takeTurn({ env, critic, local }, state, input, frame.at);
    if (result.ok) return { turn: lacking === null ? result.turn : upTo(result.turn), lacking };
    refusal = `${input.type} does not fit any more: ${result.fault.message}`;
  }
  return refusal;
}

/**
 * Takes the next recorded answer and rejects the clearance of another call. Answers are taken by order alone, because
 * the turn may differ.
 */
function answerOf(answers: RecordedAnswers, effect: LocalEffect): Derived {
  const answer = answers.take(effect, 0);
  const { event } = answer;
  if (effect.kind !== 'clear_step' || (event.type !== 'step_cleared' && event.type !== 'step_refused')) return answer;
  const same = event.type === 'step_refused' || event.args_hash === effect.args_hash;
  if (same && event.step_id === effect.step_id) return answer;
  throw new Fault(
    'replay_input_missing',
    `the call of ${effect.step_id} (${effect.tool}) was never put to the gateway`,
  );
}

/** Cuts the turn before the missing answer, because its consequences are unknown. */
function upTo(turn: Turn): Turn {
  const place = turn.events.findIndex(({ type }) => type === 'stop_raised');
  return place < 0 ? turn : { ...turn, events: turn.events.slice(0, place) };
}

/** Why the other turn asks the world for something else; null if the recorded answers apply. */
function asksOtherwise(recorded: Turn | undefined, other: Turn): string | null {
  const [then, now] = [recorded?.outbox.map(question) ?? [], other.outbox.map(question)];
  if (then.join('\n') === now.join('\n')) return null;
  const gone = then.filter((asked) => !now.includes(asked));
  const wanted = now.filter((asked) => !then.includes(asked));
  const waits = wanted.length === 0 ? waitsFor(other.state) : `the run would ask for ${wanted.join(', ')}`;
  return gone.length === 0 ? waits : `${waits}, and not for ${gone.join(', ')}`;
}

function waitsFor({ people, session }: RunState): string {
  const gates = people.gates.flatMap((open) => open.gates.map(({ name }) => name));
  return gates.length > 0 ? `the run would wait at ${gates.join(', ')}` : `the run would be ${session.status}`;
}

/** The request of an effect, without parts that do not change the answer. */
function question(effect: OutsideEffect): string {
  switch (effect.kind) {
    case 'call_tool':
    case 'reconcile_call':
    case 'probe_step':
      return `${effect.kind} ${effect.call.tool} (${effect.call.step_id}, ${effect.call.args_hash.slice(0, 19)})`;
    case 'propose_plan':
      return `propose_plan (${effect.attempt}${effect.reason === null ? '' : `, ${effect.reason.code}`})`;
    case 'ask_judges':
      return `ask_judges (${effect.about ?? 'the run'})`;
    case 'draft_arguments':
    case 'compose_answer':
    case 'judge_sentences':
    case 'spawn_lane':
    case 'end_lane':
    case 'ask_user':
    case 'read_intent':
    case 'reflect':
    case 'compress_context':
    case 'write_memory':
    case 'revoke_credentials':
    case 'abort_flight':
      return effect.kind;
    default:
      throw unhandledEffect(effect);
  }
}
