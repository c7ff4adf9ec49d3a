import type { Critic, Derived } from '../kernel/derive.ts';
import type { LocalEffect } from '../kernel/effect-kinds.ts';
import type { KernelEnv } from '../kernel/env.ts';
import { initialState } from '../kernel/initial-state.ts';
import type { RunState } from '../kernel/state.ts';
import { type Turn, takeTurn } from '../kernel/turn.ts';
import type { RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { type Frame, verifyChain } from '../model/frame.ts';
import { address } from '../model/hash.ts';
import { firstDifference } from './difference.ts';
import { awaitedInput, possibleInputs } from './inputs.ts';
import { policyDisagreement } from './policy-agrees.ts';
import { recordedAnswers } from './recorded-answers.ts';
import { assertVersions } from './versions.ts';
import { walkFrom } from './walk-run.ts';

/** What a run was pinned to. Replay uses exactly these; it never reaches for something newer. */
export interface ReplayEnv {
  readonly env: KernelEnv;
  readonly critic: Critic;
}

export interface Replayed {
  readonly state: RunState;
  /** Every turn, as it came out again. */
  readonly turns: readonly Turn[];
}

/**
 * Takes every turn of a run again from its journal: no tool, no model, no person. Whatever follows from recorded data
 * is derived anew, the Critic's judgements among it, and must come out to the same bytes; the first thing that does
 * not is named.
 */
export function replayRun({ env, critic }: ReplayEnv, frames: readonly Frame[]): Replayed {
  const broken = verifyChain(frames, env.hash);
  if (broken !== null) throw new Fault('store_corrupt', `frame ${broken.seq}: ${broken.why}`);
  let state = initialState(env);
  const turns: Turn[] = [];
  for (const [place, frame] of frames.entries()) {
    const isCut = frames[place + 1]?.events.startsWith('[{"type":"run_forked"') ?? false;
    const turn = (isCut ? replayCut : replayFrame)({ env, critic }, state, frame);
    turns.push(turn);
    if (turn.state.manifest !== null && state.manifest === null) assertVersions(env, turn.state.manifest);
    state = turn.state;
  }
  return { state, turns };
}

function replayFrame(replay: ReplayEnv, state: RunState, frame: Frame): Turn {
  const recorded = JSON.parse(frame.events) as readonly RunEvent[];
  const attempts = possibleInputs(recorded).map((input) => attempt(replay, state, frame, { recorded, input }));
  const found = attempts.find((outcome): outcome is Turn => !Fault.is(outcome));
  if (found !== undefined) return found;
  throw attempts[0] ?? new Fault('replay_input_missing', `frame ${frame.seq} holds no event`);
}

/**
 * The last frame that a fork has from its parent may end before its turn did: at the verdict that the fork renders anew.
 * What is there has to come out again; what followed from it is the parent's.
 */
function replayCut({ env, critic }: ReplayEnv, state: RunState, frame: Frame): Turn {
  const recorded = JSON.parse(frame.events) as readonly RunEvent[];
  const [input] = possibleInputs(recorded);
  if (input === undefined) throw new Fault('replay_input_missing', `frame ${frame.seq} holds no event`);
  const answers = recordedAnswers(recorded, frame.seq);
  const local = (now: RunState, effect: LocalEffect): Derived => answers.take(effect, now.seq - state.seq);
  const result = takeTurn({ env, critic, local }, state, input, frame.at);
  const derived = result.ok ? result.turn.events.slice(0, recorded.length) : [];
  if (JSON.stringify(derived) !== frame.events) {
    const difference = firstDifference(recorded, derived);
    throw new Fault('replay_divergence', `frame ${frame.seq}: ${difference.message}`, { path: difference.path });
  }
  const walked = [...walkFrom(env, state, frame)];
  const checkpoints = walked.flatMap(({ saved }) =>
    saved.map(({ checkpoint_id, payload }) => ({ checkpointId: checkpoint_id, address: address(env.hash, payload) })),
  );
  return { state: walked.at(-1)?.state ?? state, events: recorded, blobs: [], checkpoints, outbox: [] };
}

interface Reading {
  readonly recorded: readonly RunEvent[];
  readonly input: RunEvent;
}

function attempt(
  { env, critic }: ReplayEnv,
  state: RunState,
  frame: Frame,
  { recorded, input }: Reading,
): Turn | Fault {
  const answers = recordedAnswers(recorded, frame.seq);
  let disagreement: string | null = null;
  const local = (now: RunState, effect: LocalEffect): Derived => {
    const answer = answers.take(effect, now.seq - state.seq);
    disagreement ??= policyDisagreement(env, now, answer.event);
    return answer;
  };
  const result = takeTurn({ env, critic, local }, state, input, frame.at);
  if (disagreement !== null) return new Fault('replay_divergence', `frame ${frame.seq}: ${disagreement}`);
  if (!result.ok) {
    const awaited = awaitedInput(state, input);
    if (awaited !== null) return new Fault('replay_input_missing', `frame ${frame.seq}: ${awaited} is not recorded`);
    return new Fault('replay_divergence', `frame ${frame.seq}: ${input.type} is refused: ${result.fault.message}`);
  }
  if (JSON.stringify(result.turn.events) === frame.events) return result.turn;
  const difference = firstDifference(recorded, result.turn.events);
  return new Fault('replay_divergence', `frame ${frame.seq}: ${difference.message}`, { path: difference.path });
}
