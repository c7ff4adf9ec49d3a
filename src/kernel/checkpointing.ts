import type { Effect } from '../model/effect.ts';
import type { JsonObject } from '../model/json.ts';
import type { PlanVerdict, StepVerdict } from '../model/verdict.ts';
import { budgetSnapshot } from './budget-snapshot.ts';
import { nextStep } from './next-step.ts';
import type { RunState } from './state.ts';
import { vecGet } from './vec.ts';

/**
 * Makes a verdict of the Critic stand: the heartbeat is renewed and a checkpoint with the whole payload goes into
 * the same frame. If that frame cannot be written, neither the verdict nor anything after it has happened.
 */
export function renderVerdict(
  state: RunState,
  verdict: PlanVerdict | StepVerdict,
  afterStep: string | null,
): readonly [RunState, readonly Effect[]] {
  const payload = checkpointPayload(state, verdict, afterStep);
  const judged: RunState = {
    ...state,
    session: { ...state.session, lastSeen: state.now },
    counters: { ...state.counters, checkpoints: state.counters.checkpoints + 1 },
    ending: isStepVerdict(verdict) ? { ...state.ending, verdict } : state.ending,
  };
  return [judged, [{ kind: 'save_checkpoint', checkpoint_id: checkpointId(judged), payload }]];
}

/** The last checkpoint of a run whose time ran out: no verdict brought it, and nothing comes after it. */
export function finalCheckpoint(state: RunState): readonly [RunState, readonly Effect[]] {
  const { scores } = state.work;
  const payload = checkpointPayload(state, null, vecGet(scores, scores.size - 1)?.step_id ?? null);
  const last = { ...state, counters: { ...state.counters, checkpoints: state.counters.checkpoints + 1 } };
  return [last, [{ kind: 'save_checkpoint', checkpoint_id: checkpointId(last), payload }]];
}

/** The checkpoint that was made last. */
export const checkpointId = ({ id, counters }: RunState): string => `ck_${id.runId}_${counters.checkpoints}`;

/** Lists are named by how far they go and by their root; whoever reads the checkpoint expands them from the journal. */
function checkpointPayload(state: RunState, verdict: string | null, afterStep: string | null): JsonObject {
  const { work, planning } = state;
  return {
    run_id: state.id.runId,
    sequence: state.counters.checkpoints + 1,
    plan_id: planning.active?.plan.plan_id ?? null,
    after_step: afterStep,
    critic_verdict: verdict,
    next_step: nextStep(state)?.step.id ?? null,
    tool_transcripts: { upto: work.transcripts.items.size, root: work.transcripts.root },
    evidence_refs: { upto: work.evidence.items.size, root: work.evidence.root },
    step_scores: { upto: work.scores.size, root: work.scoresRoot },
    budget: state.budget === null ? null : budgetSnapshot(state.budget, elapsedMs(state)),
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
