import { budgetSnapshot, elapsedMs, type KernelEnv, type RunState } from '../kernel/index.ts';
import type { BudgetCaps } from '../model/budget/budget.ts';
import type { CheckpointVerdict } from '../model/events/checkpoint.ts';
import type { EventType } from '../model/events/event.ts';
import type { Frame } from '../model/events/frame.ts';
import { address } from '../model/json/hash.ts';
import type { JsonObject } from '../model/json/json.ts';
import { NONE, type StateCheckpoint } from '../model/record/trace.ts';
import { type Move, movesIn, type Walked, walkRun } from './walk-run.ts';

/** The state of a run at each verdict, its moves, and its final budget. */
export interface RunStanding {
  readonly checkpoints: readonly StateCheckpoint[];
  readonly moves: readonly Move[];
  readonly caps: BudgetCaps | null;
  readonly used: Readonly<Record<string, number>>;
  readonly accept: number;
}

export function standingOf(env: KernelEnv, frames: readonly Frame[]): RunStanding {
  const checkpoints: StateCheckpoint[] = [];
  const moves: Move[] = [];
  let last: RunState | null = null;
  for (const walked of walkRun(env, frames)) {
    checkpoints.push(...savedBy(env, walked));
    moves.push(...movesIn(walked));
    last = walked.state;
  }
  const budget = last?.budget ?? null;
  const used = last === null || budget === null ? {} : budgetSnapshot(budget, elapsedMs(last));
  return { checkpoints, moves, caps: budget?.caps ?? null, used, accept: env.rubric.accept };
}

function savedBy({ hash }: KernelEnv, { state, event, saved }: Walked): readonly StateCheckpoint[] {
  return saved.map(({ checkpoint_id, payload }) => ({
    checkpoint_id,
    judged: judgedBy(event.type, payload),
    after_step: payload['after_step'] as string | null,
    verdict: payload['critic_verdict'] as CheckpointVerdict | null,
    state_version: state.work.version,
    node: state.position.node,
    state: address(hash, payload),
    at: event.at,
  }));
}

/** The subject of a verdict: the plan, a step or the run. A checkpoint without a verdict has none. */
function judgedBy(type: EventType, { after_step, critic_verdict }: JsonObject): StateCheckpoint['judged'] {
  if (critic_verdict === null) return NONE;
  if (type === 'plan_verified') return 'plan';
  return type === 'run_judged' || after_step === null ? 'run' : 'step';
}
