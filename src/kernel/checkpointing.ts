import type { Effect } from '../model/effect.ts';
import type { Hash } from '../model/hash.ts';
import { type HistoryRef, nextHistory } from '../model/history-ref.ts';
import type { JsonObject } from '../model/json.ts';
import type { PlanVerdict, StepVerdict } from '../model/verdict.ts';
import { budgetSnapshot } from './budget-snapshot.ts';
import type { KernelEnv } from './env.ts';
import { nextStep } from './next-step.ts';
import type { RunState, Work } from './state.ts';
import { vecFrom, vecGet } from './vec.ts';

/**
 * Makes a verdict of the Critic stand: the heartbeat is renewed and a checkpoint with the whole payload goes into
 * the same frame. If that frame cannot be written, neither the verdict nor anything after it has happened.
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
  return [judged, [saved(judged, verdict, afterStep)]];
}

/** The last checkpoint of a run whose time ran out: no verdict brought it, and nothing comes after it. */
export function finalCheckpoint(env: KernelEnv, state: RunState): readonly [RunState, readonly Effect[]] {
  const { work, counters } = state;
  const last: RunState = {
    ...state,
    work: { ...work, sealed: sealHistory(env.hash, work) },
    counters: { ...counters, checkpoints: counters.checkpoints + 1 },
  };
  return [last, [saved(last, null, vecGet(work.scores, work.scores.size - 1)?.step_id ?? null)]];
}

function saved(state: RunState, verdict: string | null, afterStep: string | null): Effect {
  const payload = checkpointPayload(state, verdict, afterStep);
  return { kind: 'save_checkpoint', checkpoint_id: checkpointId(state), payload };
}

/** The checkpoint that was made last. */
export const checkpointId = ({ id, counters }: RunState): string => `ck_${id.runId}_${counters.checkpoints}`;

/** Not so for what a fork has from its parent: that happened, and is kept, under the parent's name. */
export const isCheckpointOf = (runId: string, checkpointId: string): boolean => {
  const own = `ck_${runId}_`;
  return checkpointId.startsWith(own) && /^\d+$/.test(checkpointId.slice(own.length));
};

/** The lists as they are now, under one root: what came since the last checkpoint is added to what that one says. */
function sealHistory(hash: Hash, { sealed, transcripts, evidence, scores }: Work): HistoryRef {
  return nextHistory(hash, sealed, {
    tool_transcripts: vecFrom(transcripts, sealed.tool_transcripts),
    evidence_refs: vecFrom(evidence, sealed.evidence_refs),
    step_scores: vecFrom(scores, sealed.step_scores),
  });
}

/**
 * Lists are named by how far they go and by their root; whoever reads the checkpoint expands them from the journal. By
 * name, as the canonical form has it: there is one for every verdict.
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

/** Time the run has worked: what it waited for people is not counted. */
export function elapsedMs(state: RunState): number {
  const { deadlineAt, suspendedAt } = state.session;
  if (deadlineAt === null || state.budget === null) return 0;
  const workedUntil = suspendedAt ?? state.now;
  return workedUntil - (deadlineAt - state.budget.caps.wall_clock_seconds_max * 1000);
}

const isStepVerdict = (verdict: PlanVerdict | StepVerdict): verdict is StepVerdict =>
  verdict === 'accept' || verdict === 'retry' || verdict === 'replan' || verdict === 'escalate';
