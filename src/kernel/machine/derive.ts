import type { OpenPart, QuestionCase, RunCase, StepCase } from '../../model/critic/judged-case.ts';
import type { Finding, Scores, StepVerdict } from '../../model/critic/verdict.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import { type DerivedEffect, unhandledEffect } from '../../model/events/effect-kinds.ts';
import type { EventBody, RunEvent } from '../../model/events/event.ts';
import type {
  AnswerFact,
  FactField,
  ReleaseAnswer,
  SentenceCase,
  SentenceRuling,
} from '../../model/evidence/answer.ts';
import { type Stop, TERMINAL_CODE_TABLE, type TerminalCode } from '../../model/fault/terminal-code.ts';
import { type Blob, toBlob } from '../../model/json/blob.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import { address } from '../../model/json/hash.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import type { Problem } from '../../model/json/problem.ts';
import { storedParts } from '../../model/json/stored-answer.ts';
import { dedupeDecisions } from '../../model/policy/policy-decision.ts';
import type { StoredAnswer } from '../../model/tool/observation.ts';
import type { ToolOutcome, ToolSpec } from '../../model/tool/tool.ts';
import { remaining, toWire } from '../budget/view.ts';
import type { KernelEnv } from '../env.ts';
import { buildRunCase, buildStepCase } from '../query/critic-input/cases.ts';
import { ruleOnMemory } from '../query/critic-input/memory-promotion.ts';
import { questionCase } from '../query/critic-input/question.ts';
import { recordDecision } from '../query/critic-input/record-decision.ts';
import { answerFacts, sentenceCase, unansweredFields, withUnknownRef } from '../query/evidence/answer-facts.ts';
import { bindOutput, declaredOutput } from '../query/evidence/bind-output.ts';
import { escalation, openPaths } from '../query/gate/escalation.ts';
import { decidersOf } from '../query/gate/gate-policy.ts';
import { handoverPacket } from '../query/gate/handover-packet.ts';
import { specOf } from '../query/plan/tools.ts';
import { verifyProposal } from '../query/plan/verify-context.ts';
import { elapsedMs, endPath, impossibleEvent, statusFor } from '../state/lifecycle.ts';
import type { RunState } from '../state/run-state.ts';

/** The critic's functions as the kernel sees them. */
export interface Critic {
  verifyObservation(observation: {
    readonly spec: ToolSpec;
    readonly outcome: ToolOutcome;
    readonly raw: Json;
    readonly check: (value: Json) => readonly Problem[];
    readonly call: { readonly args: JsonObject; readonly now: number; readonly hash: KernelEnv['hash'] };
  }): ObservationRuling;
  judgeStep(step: StepCase): {
    readonly scores: Scores;
    readonly criteria: readonly CriterionScore[];
    readonly findings: readonly Finding[];
    readonly verdict?: StepVerdict;
  };
  judgeRun(run: RunCase): {
    readonly scores: Scores;
    readonly criteria: readonly CriterionScore[];
    readonly unmet: readonly string[];
    readonly findings: readonly Finding[];
    readonly verdict?: StepVerdict;
  };
  /** The first part of a question that no fact answers although a tool may; null if there is none. */
  findOpenPart(question: QuestionCase): OpenPart | null;
  /** The name and version of the release check, such as `release@1`. */
  readonly releaseCheck: string;
  checkSentence(sentence: SentenceCase): ReleaseAnswer;
  /** Whether an agent's judge may rule on a sentence that is not provable. */
  isJudgeable(sentence: SentenceCase, cites: readonly FactField[]): boolean;
  /** States fields of facts without a model. */
  stateFacts(
    facts: readonly AnswerFact[],
    cites: readonly FactField[],
    specOf: (tool: string) => ToolSpec,
  ): { readonly text: string; readonly fields: readonly FactField[] };
}

/** The score of one evaluator or declared criterion. */
export interface CriterionScore {
  readonly criterion: string;
  readonly score: number;
}

export type ObservationRuling =
  | { readonly ok: true; readonly confirmed: 'all' | readonly string[]; readonly validator: string }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly validator: string };

/** An answer, and the blobs to store with it. */
export interface Derived {
  readonly event: EventBody;
  readonly blobs: readonly Blob[];
}

/** A derived answer with its timestamp, which is the current time of the state. */
export interface Answered extends Derived {
  readonly event: RunEvent;
}

export const stampAnswer = ({ now }: RunState, { event, blobs }: Derived): Answered => ({
  event: { ...event, at: now } as RunEvent,
  blobs,
});

const NO_BLOBS: readonly Blob[] = Object.freeze([]);

/** Answers an effect from recorded data alone. The live run and replay both call it, so both get the same verdict. */
export function derive(env: KernelEnv, critic: Critic, state: RunState, effect: DerivedEffect): Answered {
  switch (effect.kind) {
    // The effects of every step build their event in one piece, without a copy.
    case 'attempt_step':
      return { event: stepAttempted(state, effect), blobs: NO_BLOBS };
    case 'verify_step':
      return { event: stepVerified(env, critic, state, effect), blobs: NO_BLOBS };
    case 'commit_step':
      return { event: stepCommitted(state, effect), blobs: NO_BLOBS };
    case 'judge_step':
      return { event: stepJudged(env, critic, state, effect), blobs: NO_BLOBS };
    default:
      return stampAnswer(state, deriveRare(env, critic, state, effect));
  }
}

type EveryStep = 'attempt_step' | 'verify_step' | 'commit_step' | 'judge_step';
type RareEffect = Exclude<DerivedEffect, { readonly kind: EveryStep }>;

/** Answers the effects that not every step has. */
function deriveRare(env: KernelEnv, critic: Critic, state: RunState, effect: RareEffect): Derived {
  switch (effect.kind) {
    case 'verify_plan':
      return { event: planVerified(env, state, effect), blobs: NO_BLOBS };
    case 'judge_run':
      return { event: runJudged(env, critic, state), blobs: NO_BLOBS };
    case 'foresee_shortage': {
      const { dimension, needed, left } = effect;
      return { event: { type: 'shortage_foreseen', dimension, needed, left }, blobs: NO_BLOBS };
    }
    case 'escalate_run':
      return runEscalated(env, state, effect);
    case 'note_violation': {
      const { kind: _, ...noted } = effect;
      return { event: { type: 'violation_noted', ...noted }, blobs: NO_BLOBS };
    }
    case 'settle_compensation':
      return { event: { type: 'step_compensated', settled: effect.settled }, blobs: NO_BLOBS };
    case 'open_gate':
      return gateOpened(env, effect);
    case 'rule_memory': {
      const rulings = ruleOnMemory(env, state, effect.proposals, effect.validator);
      return { event: { type: 'memory_ruled', rulings }, blobs: NO_BLOBS };
    }
    case 'rule_sentences':
      return { event: sentencesRuled(env, critic, state, effect), blobs: NO_BLOBS };
    case 'release_sentence':
      return { event: sentenceReleased(env, critic, state, effect), blobs: NO_BLOBS };
    case 'rule_output':
      return { event: outputRuled(env, state), blobs: NO_BLOBS };
    case 'terminate_run':
      return runTerminated(env, state, effect);
    default:
      throw unhandledEffect(effect);
  }
}

/** Judges the run. An end that leaves a part of the question open is no evidence that the request is answered. */
function runJudged(env: KernelEnv, critic: Critic, state: RunState): EventBody {
  const question = questionCase(env, state);
  const open = question === null ? null : critic.findOpenPart(question);
  const { scores, criteria, unmet, findings, verdict } = critic.judgeRun(buildRunCase(env, state, open));
  const event = { type: 'run_judged', scores, criteria: scoreCard(criteria), unmet, findings } as const;
  return {
    ...event,
    ...(verdict === undefined ? {} : { verdict }),
    ...(open === null ? {} : { open_part: open }),
  };
}

/** Rules on the sentences that have no ruling of acceptance yet. */
function sentencesRuled(
  env: KernelEnv,
  critic: Critic,
  state: RunState,
  { attempt }: EffectOf<'rule_sentences'>,
): EventBody {
  const { answer } = state.ending;
  if (answer === undefined) throw impossibleEvent('no answer to rule on', state);
  const hasJudge = env.limits.answerJudgeCost !== null;
  const rulings = answer.sentences.flatMap(({ cites }, index): readonly SentenceRuling[] => {
    if (answer.rulings[index]?.ruling === 'proven') return [];
    const sentence = sentenceCase(env, state, answer, index);
    const ruled = withUnknownRef(sentence, critic.checkSentence(sentence));
    const judgeable = hasJudge && ruled.ruling === 'not_provable' && critic.isJudgeable(sentence, cites);
    return [{ index, ...ruled, ...(judgeable ? { judgeable } : {}) }];
  });
  return { type: 'sentences_ruled', attempt, check: critic.releaseCheck, rulings };
}

/**
 * A sentence is released as composed if it is proven, or if a judge that may rule on it supports it. Any other is
 * replaced by the facts that it cites, without a model.
 */
function sentenceReleased(
  env: KernelEnv,
  critic: Critic,
  state: RunState,
  { index }: EffectOf<'release_sentence'>,
): EventBody {
  const { answer } = state.ending;
  if (answer === undefined) throw impossibleEvent('no sentence to release', state);
  // After the last sentence come the facts that were asked for and not shown.
  const sentence = answer.sentences[index] ?? { text: '', cites: unansweredFields(answer) };
  const ruling = answer.rulings[index];
  if (ruling?.ruling === 'proven')
    return { type: 'sentence_released', index, text: sentence.text, form: 'composed', fields: ruling.fields };
  const isSupported = answer.verdicts?.some((verdict) => verdict.index === index && verdict.supported) ?? false;
  if (ruling?.judgeable === true && isSupported) {
    const { text, cites } = sentence;
    return { type: 'sentence_released', index, text, form: 'composed', fields: cites, released_by: 'judge' };
  }
  const { text, fields } = critic.stateFacts(answerFacts(env, state), sentence.cites, (tool) => specOf(env, tool));
  const isShown = answer.released.some((one) => one.text === text);
  return {
    type: 'sentence_released',
    index,
    form: 'stated',
    ...(isShown ? { text: '', fields: [] } : { text, fields }),
  };
}

/** Resolves and checks the output of a run whose criteria are met. */
function outputRuled(env: KernelEnv, state: RunState): EventBody {
  const declared = declaredOutput(env, state);
  if (declared === null) throw impossibleEvent('no output to rule on', state);
  return { type: 'output_ruled', ...bindOutput(env, state, declared) };
}

/** Score cards by criteria list. The critic returns one shared frozen list for most steps. */
const cards: WeakMap<readonly CriterionScore[], Scores> = new WeakMap();

function scoreCard(criteria: readonly CriterionScore[]): Scores {
  const known = cards.get(criteria);
  if (known !== undefined) return known;
  const card: Record<string, number> = {};
  for (const { criterion, score } of criteria) card[criterion] = score;
  // A mutable list, or one with mutable entries, cannot be cached.
  if (Object.isFrozen(criteria) && criteria.every(Object.isFrozen)) cards.set(criteria, Object.freeze(card));
  return card;
}

function planVerified(env: KernelEnv, state: RunState, effect: EffectOf<'verify_plan'>): EventBody {
  if (state.budget === null) throw impossibleEvent('a verification before the run has a budget', state);
  const left = remaining(state.budget).replan_attempts;
  const verified = verifyProposal(env, state, effect.proposal, left);
  const { verdict, plan, problems, checks, projected, decisions } = verified;
  const plan_hash = verdict === 'ok' ? address(env.hash, plan as unknown as Json) : null;
  const plain = { type: 'plan_verified' as const, verdict, plan_hash, problems, checks, projected };
  const recordedDecisions = env.policy.fullRequests === true ? decisions : dedupeDecisions(decisions);
  const decided = recordedDecisions.length === 0 ? plain : { ...plain, policy: recordedDecisions };
  const body = state.planning.tainted ? { ...decided, tainted: true as const } : decided;
  // An unchanged proposal object needs no hash.
  const isProposal = (plan as unknown) === effect.proposal;
  const changed = verdict === 'ok' && !isProposal && plan_hash !== address(env.hash, effect.proposal);
  return changed ? { ...body, plan } : body;
}

function stepAttempted({ now: at }: RunState, effect: EffectOf<'attempt_step'>): RunEvent {
  const { call, timeout_ms, dispatch_before } = effect;
  const { call_id, step_id, tool, args_hash, idempotency_key, attempt } = call;
  const type = 'step_attempted';
  return { type, call_id, step_id, tool, args_hash, idempotency_key, attempt, timeout_ms, dispatch_before, at };
}

function stepVerified(env: KernelEnv, critic: Critic, state: RunState, effect: EffectOf<'verify_step'>): RunEvent {
  const { call_id } = effect;
  const { current, now: at } = state;
  if (current?.observed == null || current.call?.callId !== call_id) throw impossibleEvent('nothing to verify', state);
  const { stored } = current.observed;
  if (stored !== undefined) return { type: 'step_verified', call_id, ok: stored.problems.length === 0, ...stored, at };
  const ruling = critic.verifyObservation({
    spec: specOf(env, current.tool),
    outcome: current.observed.outcome,
    raw: current.observed.raw,
    check: (value) => env.tools.checkOutput(current.tool, value),
    call: { args: current.args, now: at, hash: env.hash },
  });
  const { ok, validator } = ruling;
  return ruling.ok
    ? { type: 'step_verified', call_id, ok, confirmed: ruling.confirmed, validator, problems: [], at }
    : { type: 'step_verified', call_id, ok, confirmed: [], validator, problems: ruling.problems, at };
}

function stepCommitted({ now: at }: RunState, effect: EffectOf<'commit_step'>): RunEvent {
  const { call_id, version, evidence_id, validator, source } = effect;
  return { type: 'step_committed', call_id, version, evidence_id, validator, source, at };
}

function stepJudged(env: KernelEnv, critic: Critic, state: RunState, effect: EffectOf<'judge_step'>): RunEvent {
  const { step_id } = effect;
  const { now: at } = state;
  const { scores, criteria, findings, verdict } = critic.judgeStep(buildStepCase(env, state, step_id));
  const card = scoreCard(criteria);
  return verdict === undefined
    ? { type: 'step_judged', step_id, scores, criteria: card, findings, at }
    : { type: 'step_judged', step_id, scores, criteria: card, findings, verdict, at };
}

function runEscalated(env: KernelEnv, state: RunState, effect: EffectOf<'escalate_run'>): Derived {
  const { stop } = effect;
  const handover = escalation(effect.trigger, {
    escalation_id: `esc_${state.id.runId}_${state.people.escalations + 1}`,
    step_id: state.current?.stepId ?? null,
    reason: stop.reason,
    refs: effect.refs,
    severe: false,
    paths: openPaths(env, state, effect.trigger),
  });
  const packet = toBlob(canonicalize(handoverPacket(state, handover, stop) as unknown as Json), env.hash);
  return { event: { type: 'run_escalated', escalation: handover, stop, packet_hash: packet.address }, blobs: [packet] };
}

/** Stores the packet that a person is shown. The decision has to name its hash. */
function gateOpened(env: KernelEnv, effect: EffectOf<'open_gate'>): Derived {
  const { gate_id, name, gate_kind, step_id, gates, expires_at } = effect;
  const packet = toBlob(canonicalize(effect.packet), env.hash);
  const packet_hash = packet.address;
  const event = { type: 'gate_opened', gate_id, name, gate_kind, step_id, packet_hash, expires_at } as const;
  if (gates !== undefined) return { event: { ...event, gates }, blobs: [packet] };
  const settled = env.gates.has(name) ? { ...event, deciders: decidersOf(env, name) } : event;
  return { event: settled, blobs: [packet] };
}

function runTerminated(env: KernelEnv, state: RunState, effect: EffectOf<'terminate_run'>): Derived {
  const { stop } = effect;
  const record = toBlob(canonicalize(recordDecision(state, stop) as unknown as Json), env.hash);
  const status = endPath(state.session.status, statusFor(stop.code, stop.reason)).at(-1) ?? 'failed';
  return {
    event: {
      type: 'run_terminated',
      code: stop.code,
      reason: stop.reason,
      detail: endDetail(state, stop),
      status,
      suppressed: effect.suppressed as readonly TerminalCode[],
      record: record.address,
    },
    blobs: [record],
  };
}

/** The detail of an ending. If a limit ended the run, it includes the budget with all limits and usage. */
function endDetail(state: RunState, stop: Stop): JsonObject {
  const { revocation } = state.ending;
  const stopDetail = stop.detail ?? {};
  const detail =
    revocation === undefined ? stopDetail : { ...stopDetail, credentials: revocation.outcome ?? 'unanswered' };
  if (!TERMINAL_CODE_TABLE[stop.code].tells_budget || state.budget === null) return detail;
  return { ...detail, budget: toWire(state.budget, elapsedMs(state)) as unknown as JsonObject };
}

interface AnsweredCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Rules on a complete answer that is stored outside the journal. `aside` is the reference that replaces it. */
export function ruleOnStoredAnswer(
  verify: Critic['verifyObservation'],
  env: KernelEnv,
  { tool, args }: AnsweredCall,
  now: number,
  raw: Json,
  reference: Json,
): StoredAnswer {
  const ruling = verify({
    spec: specOf(env, tool),
    outcome: 'ok',
    raw,
    check: (value) => env.tools.checkOutput(tool, value),
    call: { args, now, hash: env.hash },
  });
  const { validator } = ruling;
  if (!ruling.ok) return { validator, confirmed: [], problems: ruling.problems };
  if (ruling.confirmed === 'all') return { validator, confirmed: 'all', problems: [] };
  // Keeps the confirmed parts of the preview. The address and the size are always confirmed.
  const { confirmed } = ruling;
  const shown = storedParts(reference)
    .filter((place) => confirmed.some((known) => place === known || place.startsWith(`${known}/`)))
    .map((place) => `/parts${pointerToken(place)}`);
  return { validator, confirmed: ['/$blob', '/bytes', ...shown], problems: [] };
}
