import {
  type Critic,
  callPolicy,
  type Derived,
  decisionOn,
  initialState,
  type KernelEnv,
  missingVersion,
  type RunState,
  type Turn,
  takeTurn,
} from '../kernel/index.ts';
import type { LocalEffect, LocalKind } from '../model/events/effect-kinds.ts';
import type { EventBody, EventType, RunEvent } from '../model/events/event.ts';
import { type Frame, verifyChain } from '../model/events/frame.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import { Fault } from '../model/fault/fault.ts';
import { canonicalize } from '../model/json/canonical.ts';
import { address } from '../model/json/hash.ts';
import type { Json } from '../model/json/json.ts';
import { withoutShadow } from '../model/policy/policy-decision.ts';
import type { RunManifest } from '../model/run/manifest.ts';
import { firstDifference } from './diff-runs.ts';
import { awaitedInput, possibleInputs } from './inputs.ts';
import { walkFrom } from './walk-run.ts';

/** The versions that a run is pinned to. Replay uses exactly these, never newer ones. */
export interface ReplayEnv {
  readonly env: KernelEnv;
  readonly critic: Critic;
}

export interface Replayed {
  readonly state: RunState;
  /** Every turn, as derived again. */
  readonly turns: readonly Turn[];
}

/**
 * Replays every turn of a run from its journal, without tools, models or people. Everything derived, including the
 * Critic's judgements, must match the recorded bytes; the fault names the first difference.
 */
export function replayRun({ env, critic }: ReplayEnv, frames: readonly Frame[]): Replayed {
  const broken = verifyChain(frames, env.hash);
  if (broken !== null) throw new Fault('store_corrupt', `frame ${broken.seq}: ${broken.why}`);
  let state = initialState(env);
  const turns: Turn[] = [];
  for (const turn of replayTurns({ env, critic }, frames)) {
    turns.push(turn);
    if (turn.state.manifest !== null && state.manifest === null) assertVersions(env, turn.state.manifest);
    state = turn.state;
  }
  return { state, turns };
}

/** Derives the turns of a run one by one. Throws where the recorded events differ. Checks no hashes and no versions. */
export function* replayTurns(replay: ReplayEnv, frames: readonly Frame[]): Generator<Turn, void> {
  let state = initialState(replay.env);
  for (const [place, frame] of frames.entries()) {
    const isCut = frames[place + 1]?.events.startsWith('[{"type":"run_forked"') ?? false;
    const turn = (isCut ? replayCut : replayFrame)(replay, state, frame);
    yield turn;
    state = turn.state;
  }
}

function replayFrame(replay: ReplayEnv, state: RunState, frame: Frame): Turn {
  const recorded = frameEvents(frame);
  const attempts = possibleInputs(recorded).map((input) => attempt(replay, state, frame, { recorded, input }));
  const found = attempts.find((outcome): outcome is Turn => !Fault.is(outcome));
  if (found !== undefined) return found;
  throw attempts[0] ?? new Fault('replay_input_missing', `frame ${frame.seq} holds no event`);
}

/**
 * Replays the last frame that a fork took over from its parent. It may end within a turn, at the verdict that the fork
 * decides anew, so only the recorded events are compared.
 */
function replayCut({ env, critic }: ReplayEnv, state: RunState, frame: Frame): Turn {
  const recorded = frameEvents(frame);
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

function attempt(
  { env, critic }: ReplayEnv,
  state: RunState,
  frame: Frame,
  { recorded, input }: { readonly recorded: readonly RunEvent[]; readonly input: RunEvent },
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

/** Asserts that the pinned versions are available. An equal verdict under a newer rule would prove nothing. */
function assertVersions(env: KernelEnv, manifest: RunManifest): void {
  const missing = missingVersion(env, manifest);
  if (missing !== null) throw new Fault('replay_input_missing', missing);
}

/**
 * Why a recorded policy decision differs from the one that its policies make now; null if it does not, or if those
 * policies are not available. The note of a shadow candidate is ignored.
 */
export function policyDisagreement(env: KernelEnv, state: RunState, event: EventBody): string | null {
  if (event.type !== 'step_cleared' && event.type !== 'step_refused') return null;
  const { calls, version, invariants } = env.policy;
  const recordedDecision = event.type === 'step_cleared' ? decisionOn(state, event) : event.policy;
  if (recordedDecision === undefined || calls?.version !== recordedDecision.version) return null;
  const derived = callPolicy({ ...env, policy: { version, invariants, calls } }, state)?.();
  const recorded = canonicalize(withoutShadow(recordedDecision) as unknown as Json);
  if (derived !== undefined && canonicalize(derived as unknown as Json) === recorded) return null;
  return `the policy decides otherwise about ${event.step_id}: recorded ${recordedDecision.effect}, derived ${derived?.effect ?? 'nothing'}`;
}

/** The recorded events that can answer each local effect. */
const ANSWERS: Readonly<Record<LocalKind, readonly EventType[]>> = {
  classify_intent: ['intent_classified', 'stop_raised'],
  resolve_scope: ['scope_resolved', 'stop_raised'],
  check_policy: ['policy_checked', 'stop_raised'],
  init_run: ['run_initialized', 'stop_raised'],
  clear_step: ['step_cleared', 'step_refused', 'stop_raised'],
  propose_compensation: ['compensation_proposed', 'stop_raised'],
  compile_response: ['response_compiled', 'stop_raised'],
  propose_memory: ['memory_proposed', 'stop_raised'],
};

export interface RecordedAnswers {
  /** Takes the next answer after the first `folded` events of the frame, which the turn has processed already. */
  take(effect: LocalEffect, folded: number): Derived;
}

/** The recorded answers of a frame to local effects, each returned once and in order. */
export function recordedAnswers(events: readonly RunEvent[], seq: number): RecordedAnswers {
  let place = 0;
  return {
    take: (effect, folded) => {
      place = Math.max(place, folded);
      const found = events.findIndex((event, index) => index >= place && ANSWERS[effect.kind].includes(event.type));
      const event = events[found];
      if (event === undefined) {
        throw new Fault('replay_input_missing', `frame ${seq}: the answer to ${effect.kind} is not recorded`);
      }
      place = found + 1;
      const { at: _, ...body } = event;
      return { event: body as Derived['event'], blobs: [] };
    },
  };
}
