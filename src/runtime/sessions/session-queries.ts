import {
  doneSteps,
  elapsedMs,
  foldFrame,
  initialState,
  isReactive,
  type KernelEnv,
  nextStep,
  type Pause,
  type RunState,
  vecGet,
} from '../../kernel/index.ts';
import { MICROUSD_PER_USD } from '../../model/budget/dimensions.ts';
import type { Effect } from '../../model/events/effect.ts';
import type { Frame } from '../../model/events/frame.ts';
import type { Pins } from '../../model/evidence/context.ts';
import { Fault } from '../../model/fault/fault.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { parse } from '../../model/json/parse.ts';
import {
  type BudgetRemaining,
  type CheckpointEntry,
  type ProgressEnvelope,
  Session,
  type SessionPause,
} from '../../model/run/session.ts';
import { type FollowDeps, type FollowOptions, waitForFrames } from '../../session/follow.ts';
import { runReader } from '../../session/load.ts';
import { migrationsIn, type RulesOf } from '../../session/perform/drives-by-rules.ts';
import { readSignal, requireId } from '../../session/read-input.ts';
import { type WatchedEvent, type WatchOptions, watchRun } from '../../session/watch.ts';
import { waitedGate } from '../gates/closed-gate.ts';

/** Reads and follows sessions without changing them. */
export interface SessionQueries {
  /** The session contract of a `long_running` run; `session_not_found` for any other run. */
  contract(runId: string): Promise<Session>;
  /** Progress envelopes, one per interval, until the session has ended. `after` is an earlier `progress_id`. */
  progress(runId: string, follow?: FollowOptions): AsyncIterable<ProgressEnvelope>;
  /** Every past and future event of a run, until it has ended. `after` is an earlier `cursor`. */
  watch(runId: string, follow?: WatchOptions): AsyncIterable<WatchedEvent>;
}

export function createSessionQueries(
  deps: FollowDeps,
  { rulesOf, pins }: { readonly rulesOf: RulesOf; readonly pins: Pins },
): SessionQueries {
  const { frames } = runReader(deps.journal);
  return {
    contract: async (runId) => {
      const all = await frames(requireId(runId));
      return readSession({ env: await rulesOf(all), pins }, all);
    },
    progress: (runId, follow) => progressOf(deps, rulesOf, requireId(runId), follow),
    watch: (runId, follow) => watchRun(deps, rulesOf, requireId(runId), follow),
  };
}

/** The kernel that a session was made with, and the pins that apply before its own are recorded. */
export interface SessionReader {
  readonly env: KernelEnv;
  readonly pins: Pins;
}

/** Reads the session contract from the journal alone. Throws for a run that was not requested as `long_running`. */
function readSession({ env, pins }: SessionReader, frames: readonly Frame[]): Session {
  const checkpoints: CheckpointEntry[] = [];
  let state = initialState(env);
  for (const frame of frames) {
    const folded = foldFrame(env, state, frame);
    state = folded.state;
    for (const effect of folded.effects) {
      if (effect.kind === 'save_checkpoint') checkpoints.push(entryOf(effect, frame.at));
    }
  }
  return sessionFrom(state, checkpoints, pins);
}

const isSession = ({ session }: RunState): boolean => session.heartbeatMs !== null;

function sessionFrom(state: RunState, checkpoints: readonly CheckpointEntry[], usual: Pins): Session {
  const { session, intake, manifest, ending, id } = state;
  if (session.heartbeatMs === null) throw noSession(id.runId);
  const { pack_pin, snapshot_pin } = manifest ?? usual;
  const gate = waitedGate(state);
  const view: Session = {
    session_id: id.runId,
    tenant_id: id.tenantId,
    pack_pin,
    snapshot_pin,
    intent: intake.intent ?? intake.goal?.intent ?? 'unclassified',
    started_at: timestamp(session.startedAt),
    heartbeat: {
      interval_ms: session.heartbeatMs,
      ttl_ms: session.expiresAt - session.startedAt,
      last_seen: timestamp(session.lastSeen),
    },
    status: session.status,
    checkpoints: [...checkpoints],
    next_step: nextStep(state)?.step.id ?? null,
    owner_actor: intake.identity?.actor ?? 'nobody',
    ...(session.status === 'paused' && session.pause !== null ? { pause: pauseOf(session.pause) } : {}),
    ...(gate === null ? {} : { awaiting_gate: gate }),
    ...(ending.terminal === null ? {} : { terminal_code: ending.terminal.code }),
  };
  return deepFreeze(parse(Session, view, 'store_corrupt'));
}

const pauseOf = ({ cause, by, authority }: Pause): SessionPause => ({ cause, by, authority });

function noSession(runId: string): Fault {
  const message = `the run ${runId} is not a session: its mode is standard, not long_running`;
  return new Fault('session_not_found', message);
}

function entryOf(effect: Extract<Effect, { readonly kind: 'save_checkpoint' }>, savedAt: number): CheckpointEntry {
  const { after_step, critic_verdict } = effect.payload as Pick<CheckpointEntry, 'after_step' | 'critic_verdict'>;
  return { checkpoint_id: effect.checkpoint_id, after_step, critic_verdict, saved_at: timestamp(savedAt) };
}

const timestamp = (ms: number): string => new Date(ms).toISOString();

/**
 * Streams the progress of a session, one envelope per interval, until it has ended. Envelopes are numbered by the
 * intervals since the start and show the journal at that time, so every process yields the same ones.
 */
async function* progressOf(
  deps: FollowDeps,
  rulesOf: RulesOf,
  runId: string,
  { after, signal: stop }: FollowOptions = {},
): AsyncGenerator<ProgressEnvelope, void, void> {
  const signal = readSignal(stop);
  const followed = await follower(deps, rulesOf, runId);
  await followed.catchUp(Number.MAX_SAFE_INTEGER, 1);
  const first = followed.state();
  if (!isSession(first)) throw noSession(runId);
  const { startedAt, heartbeatMs, progressMs } = first.session;
  const everyMs = progressMs ?? heartbeatMs ?? 0;
  const instantOf = (tick: number): number => startedAt + tick * everyMs;
  const passed = Math.floor((deps.clock.nowMs() - startedAt) / everyMs);
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
  /** Applies the frames written up to this time, at most `most` of them. */
  catchUp(at: number, most?: number): Promise<void>;
  /** Waits until this time or the end of the run, then applies the frames up to it. */
  until(at: number, signal: AbortSignal): Promise<void>;
}

async function follower(deps: FollowDeps, rulesOf: RulesOf, runId: string): Promise<Follower> {
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
  /** Loads the run again from its first frame, because the rules in its manifest also apply to earlier frames. */
  const reload = async (): Promise<void> => {
    ahead = await deps.journal.load(runId);
    env = await rulesOf(ahead);
    state = initialState(env);
    seq = 0;
  };
  const loadNews = async (): Promise<void> => {
    const news = await deps.journal.load(runId, seq + ahead.length + 1);
    // A migration brings tools that the frames before it do not name.
    if (migrationsIn(news).length > 0) env = await rulesOf(await deps.journal.load(runId));
    ahead = [...ahead, ...news];
  };
  const catchUp = async (at: number, most = Number.MAX_SAFE_INTEGER): Promise<void> => {
    if (state.manifest === null) await reload();
    else await loadNews();
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
      while (!signal.aborted && state.ending.terminal === null && deps.clock.nowMs() < at) {
        await waitForFrames(deps, runId, { knownSeq: seq + ahead.length, at, signal });
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

/** Counts the steps of the plan in force; with stepwise planning, all steps so far. */
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

/** The limits minus the amounts used; all zero before the run has a budget. */
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
  throw new Fault('input_invalid', 'after must be the progress_id of an earlier envelope', { path: '/after' });
}
