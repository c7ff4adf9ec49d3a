import type { PlanVerdict, StepVerdict } from '../../model/critic/verdict.ts';
import type { Effect } from '../../model/events/effect.ts';
import { type HistoryRef, nextHistory } from '../../model/events/history.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { budgetSnapshot } from '../budget/view.ts';
import type { KernelEnv } from '../env.ts';
import { nextStep } from '../query/plan/steps.ts';
import { elapsedMs } from '../state/lifecycle.ts';
import type { RunState, Work } from '../state/run-state.ts';
import { vecFrom, vecGet } from '../state/vec.ts';

/**
 * Applies a verdict of the critic: renews the heartbeat and writes a checkpoint into the same frame. If that frame
 * cannot be written, neither the verdict nor anything after it has happened.
 */
export function renderVerdict(
  env: KernelEnv,
  state: RunState,
  verdict: PlanVerdict | StepVerdict,
  afterStep: string | null,
): readonly [RunState, readonly Effect[]] {
  const { work, session, counters, ending } = state;
  const judged: RunState = {
    ...state,
    work: { ...work, sealed: sealHistory(env.hash, work) },
    session: { ...session, lastSeen: state.now },
    counters: { ...counters, checkpoints: counters.checkpoints + 1 },
    ending: ending.verdict === verdict || !isStepVerdict(verdict) ? ending : { ...ending, verdict },
  };
  return [judged, [saveCheckpoint(judged, verdict, afterStep)]];
}

/** The last checkpoint of an expired run. It has no verdict. */
export function finalCheckpoint(env: KernelEnv, state: RunState): readonly [RunState, readonly Effect[]] {
  const { work, counters } = state;
  const last: RunState = {
    ...state,
    work: { ...work, sealed: sealHistory(env.hash, work) },
    counters: { ...counters, checkpoints: counters.checkpoints + 1 },
  };
  return [last, [saveCheckpoint(last, null, vecGet(work.scores, work.scores.size - 1)?.step_id ?? null)]];
}

function saveCheckpoint(state: RunState, verdict: string | null, afterStep: string | null): Effect {
  const payload = checkpointPayload(state, verdict, afterStep);
  return { kind: 'save_checkpoint', checkpoint_id: checkpointId(state), payload };
}

/** The id of the newest checkpoint. */
export const checkpointId = ({ id, counters }: RunState): string => `ck_${id.runId}_${counters.checkpoints}`;

/** Extends the history of the last checkpoint by the new entries, under one root. */
function sealHistory(hash: Hash, { sealed, transcripts, evidence, scores }: Work): HistoryRef {
  return nextHistory(hash, sealed, {
    tool_transcripts: vecFrom(transcripts, sealed.tool_transcripts),
    evidence_refs: vecFrom(evidence, sealed.evidence_refs),
    step_scores: vecFrom(scores, sealed.step_scores),
  });
}

/**
 * The payload of a checkpoint. Lists are given by length and root; readers expand them from the journal. Fields are in
 * canonical order (by name), since every verdict writes one.
 */
function checkpointPayload(state: RunState, verdict: string | null, afterStep: string | null): JsonObject {
  const { planning } = state;
  return {
    after_step: afterStep,
    budget: state.budget === null ? null : budgetSnapshot(state.budget, elapsedMs(state)),
    critic_verdict: verdict,
    history: state.work.sealed as unknown as JsonObject,
    next_step: nextStep(state)?.step.id ?? null,
    plan_id: planning.active?.plan.plan_id ?? null,
    run_id: state.id.runId,
    sequence: state.counters.checkpoints,
    terminal: state.ending.closing,
  };
}

const isStepVerdict = (verdict: PlanVerdict | StepVerdict): verdict is StepVerdict =>
  verdict === 'accept' || verdict === 'retry' || verdict === 'replan' || verdict === 'escalate';
