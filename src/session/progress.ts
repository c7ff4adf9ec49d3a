import { elapsedMs } from '../kernel/checkpointing.ts';
import { doneSteps } from '../kernel/done-steps.ts';
import type { KernelEnv } from '../kernel/env.ts';
import { initialState } from '../kernel/initial-state.ts';
import { nextStep } from '../kernel/next-step.ts';
import { isReactive } from '../kernel/reactive/route-of.ts';
import type { RunState } from '../kernel/state.ts';
import { vecGet } from '../kernel/vec.ts';
import { MICROUSD_PER_USD } from '../model/budget.ts';
import { Fault } from '../model/fault.ts';
import type { Frame } from '../model/frame.ts';
import { deepFreeze } from '../model/freeze.ts';
import type { BudgetRemaining, ProgressEnvelope } from '../model/progress.ts';
import type { RulesOf } from './drives-by-rules.ts';
import { foldFrame } from './fold-frame.ts';
import { type FollowOptions, type NewsRoom, untilNews } from './news.ts';
import { isSession, noSession, timestamp } from './session-view.ts';
import { waitedGate } from './waited-gate.ts';

/**
 * The progress of a session, one envelope each interval, until it has ended. Envelopes are numbered by the intervals
 * since the session began and show the journal as it was then: the same in every process, however often it is asked.
 */
export async function* progressOf(
  room: NewsRoom,
  rulesOf: RulesOf,
  runId: string,
  { after, signal = new AbortController().signal }: FollowOptions = {},
): AsyncGenerator<ProgressEnvelope, void, void> {
  const followed = await follower(room, rulesOf, runId);
  await followed.catchUp(Number.MAX_SAFE_INTEGER, 1);
  const first = followed.state();
  if (!isSession(first)) throw noSession(runId);
  const { startedAt, heartbeatMs, progressMs } = first.session;
  const everyMs = progressMs ?? heartbeatMs ?? 0;
  const instantOf = (tick: number): number => startedAt + tick * everyMs;
  const passed = Math.floor((room.clock.nowMs() - startedAt) / everyMs);
  for (let tick = after === undefined ? passed + 1 : tickOf(after) + 1; ; tick += 1) {
    const at = instantOf(tick);
    await followed.until(at, signal);
    if (signal.aborted || followed.state().ending.terminal !== null) return;
    yield envelopeAt(followed.env(), followed.state(), { tick, seq: followed.seq(), at });
  }
}

interface Follower {
  env(): KernelEnv;
  state(): RunState;
  seq(): number;
  /** Takes in what was written up to that instant, and at most so many frames at once. */
  catchUp(at: number, most?: number): Promise<void>;
  /** The same, once the instant has come or the run has ended before it. */
  until(at: number, signal: AbortSignal): Promise<void>;
}

async function follower(room: NewsRoom, rulesOf: RulesOf, runId: string): Promise<Follower> {
  let env = await rulesOf([]);
  let state = initialState(env);
  let seq = 0;
  let ahead: readonly Frame[] = [];
  const take = (at: number, most: number): void => {
    const due = ahead.filter((frame) => frame.at <= at).slice(0, most);
    for (const frame of due) ({ state } = foldFrame(env, state, frame));
    seq += due.length;
    ahead = ahead.slice(due.length);
  };
  /** What a run is decided with is only known from its manifest on, and decides about what came before as well. */
  const beginAgain = async (): Promise<void> => {
    ahead = await room.journal.load(runId);
    env = await rulesOf(ahead);
    state = initialState(env);
    seq = 0;
  };
  const catchUp = async (at: number, most = Number.MAX_SAFE_INTEGER): Promise<void> => {
    if (state.manifest === null) await beginAgain();
    else ahead = [...ahead, ...(await room.journal.load(runId, seq + ahead.length + 1))];
    if (seq + ahead.length === 0) throw new Fault('session_not_found', `there is no session ${runId}`);
    take(at, most);
  };
  return {
    env: () => env,
    state: () => state,
    seq: () => seq,
    catchUp,
    until: async (at, signal) => {
      await catchUp(at);
      while (!signal.aborted && state.ending.terminal === null && room.clock.nowMs() < at) {
        await untilNews(room, runId, { knownSeq: seq + ahead.length, at, signal });
        await catchUp(at);
      }
    },
  };
}

function envelopeAt(
  env: KernelEnv,
  state: RunState,
  { tick, seq, at }: { readonly tick: number; readonly seq: number; readonly at: number },
): ProgressEnvelope {
  return deepFreeze({
    session_id: state.id.runId,
    progress_id: `prog_${String(tick).padStart(8, '0')}_${seq}`,
    emitted_at: timestamp(at),
    current_step: state.current?.stepId ?? nextStep(state)?.step.id ?? null,
    ...stepCounts(env, state),
    budget_remaining: budgetLeft(state, at),
    awaiting_gate: waitedGate(state),
  });
}

/** Of the plan in force; where one step is decided at a time, of all there were. */
function stepCounts(
  env: KernelEnv,
  state: RunState,
): Pick<ProgressEnvelope, 'completed_step_count' | 'total_step_count'> {
  const steps = state.planning.active?.plan.steps ?? [];
  if (isReactive(env)) {
    const done = doneSteps(state).length;
    return { completed_step_count: done, total_step_count: done + (nextStep(state) === null ? 0 : 1) };
  }
  const done = steps.filter((_, index) => vecGet(state.work.progress, index)?.status === 'committed');
  return { completed_step_count: done.length, total_step_count: steps.length };
}

/** What the limits leave of what was used. Before there is a budget there is nothing that could be spent. */
function budgetLeft(state: RunState, at: number): BudgetRemaining {
  if (state.budget === null) return { tokens: 0, tool_calls: 0, cost_cents: 0, wall_clock_ms: 0 };
  const { caps, used } = state.budget;
  const left = (limit: number, spent: number): number => Math.max(0, limit - spent);
  return {
    tokens: left(caps.input_tokens_max + caps.output_tokens_max, used.input_tokens + used.output_tokens),
    tool_calls: left(caps.tool_calls_max, used.tool_calls),
    cost_cents: left(caps.inference_cost_usd_max * MICROUSD_PER_USD, used.cost_microusd) / (MICROUSD_PER_USD / 100),
    wall_clock_ms: left(caps.wall_clock_seconds_max * 1000, elapsedMs({ ...state, now: at })),
  };
}

const CURSOR = /^prog_(\d{8,15})_\d+$/;

function tickOf(cursor: string): number {
  const tick = CURSOR.exec(cursor)?.[1];
  if (tick !== undefined) return Number(tick);
  throw new Fault('input_invalid', 'after is the progress_id of an earlier envelope', { path: '/after' });
}
