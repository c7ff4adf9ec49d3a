import type { Derived } from '../kernel/derive.ts';
import type { LocalEffect, OutsideEffect } from '../kernel/effect-kinds.ts';
import { initialState } from '../kernel/initial-state.ts';
import type { RunState } from '../kernel/state.ts';
import { type Turn, takeTurn } from '../kernel/turn.ts';
import { clearedInFull, type InFull } from '../model/cleared-in-full.ts';
import type { RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { Frame } from '../model/frame.ts';
import type { TerminalCode } from '../model/terminal-code.ts';
import { type DecisionDifference, decisionDifferences, decisionsIn } from './decisions.ts';
import { possibleInputs } from './inputs.ts';
import { clearedAnew } from './other-policy.ts';
import { type RecordedAnswers, recordedAnswers } from './recorded-answers.ts';
import { type ReplayEnv, replayRun } from './replay.ts';

/** A run as it would have been decided under something else, as far as what is on record tells. */
export interface WhatIf {
  readonly decisions: readonly DecisionDifference[];
  readonly recorded: TerminalCode | null;
  /** Null where the other run would go on and nobody knows how. */
  readonly derived: TerminalCode | null;
  /** From where on nobody knows: what the other run would have asked was never asked. Null where all of it is known. */
  readonly unknownFrom: UnknownFrom | null;
}

export interface UnknownFrom {
  readonly frame: number;
  readonly why: string;
}

/**
 * Takes the turns of a recorded run under other rules. Nothing is called: what came from outside is what came then, for
 * as long as the other run would have asked the same; where it would have asked for something else, that is said.
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
  const inFull = clearedInFull();
  for (const [place, frame] of frames.entries()) {
    if (state.ending.terminal !== null) return { turns, unknownFrom: null };
    // As decided about in the plan of then, and not as in the plan of the other run.
    const events = (JSON.parse(frame.events) as readonly RunEvent[]).map(inFull);
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
  /** What a room would have had to answer and is not on record. */
  readonly lacking: string | null;
}

/** The turn, or why what came then could not have come. */
function takeFrame(
  { env, critic }: ReplayEnv,
  state: RunState,
  frame: Frame,
  events: readonly InFull[],
): Taken | string {
  let refusal = 'the frame holds no event';
  for (const input of possibleInputs(events)) {
    let lacking: string | null = null;
    const answers = recordedAnswers(events, frame.seq);
    const local = (now: RunState, effect: LocalEffect): Derived => {
      try {
        return clearedAnew(env, now, effect, answerOf(answers, effect));
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

/** A clearance is for one call: that of another is no answer. Order alone counts, because the turn may go another way. */
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

/** What followed from an answer that is not known is not known either. */
function upTo(turn: Turn): Turn {
  const place = turn.events.findIndex(({ type }) => type === 'stop_raised');
  return place < 0 ? turn : { ...turn, events: turn.events.slice(0, place) };
}

/** Null where the same things are asked of the world, so that what was answered then is an answer here. */
function asksOtherwise(recorded: Turn | undefined, other: Turn): string | null {
  const [then, now] = [recorded?.outbox.map(question) ?? [], other.outbox.map(question)];
  if (then.join('\n') === now.join('\n')) return null;
  const gone = then.filter((asked) => !now.includes(asked));
  const wanted = now.filter((asked) => !then.includes(asked));
  const waits = wanted.length === 0 ? waitsFor(other.state) : `the run would ask for ${wanted.join(', ')}`;
  return gone.length === 0 ? waits : `${waits}, and not for ${gone.join(', ')}`;
}

function waitsFor({ people, session }: RunState): string {
  const gates = people.gates.map(({ name }) => name);
  return gates.length > 0 ? `the run would wait at ${gates.join(', ')}` : `the run would be ${session.status}`;
}

/** What is asked, without what does not change the answer. */
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
    default:
      return effect.kind;
  }
}
