import {
  assertCompiled,
  type CompileSchema,
  type Derived,
  initialState,
  type RunState,
  type TurnEnv,
} from '../kernel/index.ts';
import type { Rubric } from '../model/critic/rubric.ts';
import type { EffectOf } from '../model/events/effect.ts';
import type { LocalEffect, LocalKind } from '../model/events/effect-kinds.ts';
import type { EventBody } from '../model/events/event.ts';
import type { Frame } from '../model/events/frame.ts';
import { type Pins, samePins } from '../model/evidence/context.ts';
import { Fault } from '../model/fault/fault.ts';
import type { Blob } from '../model/json/blob.ts';
import type { JsonObject } from '../model/json/json.ts';
import type { PlanPreview } from '../model/plan/plan-report.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import type { ToolSpec } from '../model/tool/tool.ts';
import type { Journal } from '../ports/journal/journal.ts';
import { type Metrics, NO_METRICS } from '../ports/metrics.ts';
import type { Proofs } from '../ports/proofs.ts';
import type { MemoryStore } from '../ports/store/memory-store.ts';
import { type DriveEnv, type LiveRun, liveRun } from './drive.ts';
import { POLL_EVERY_MS, type WriteSignal } from './follow.ts';
import { assertNotImported } from './import-note.ts';
import { BEGINNING } from './journal-writer.ts';
import type { LaneStart } from './lanes/family.ts';
import { NO_LANES } from './lanes/lane-port.ts';
import { foldRun, framesOf, type Loaded } from './load.ts';
import {
  keptContext,
  migratedContext,
  newerTools,
  type PlannedMigration,
  pinsWithTools,
  planMigration,
} from './migrate.ts';
import { drivesByRules, type PinnedDrive, type RulesOf } from './perform/drives-by-rules.ts';
import { arrival, localPerformers, outsidePerformers, type RunPins, type RunPorts } from './perform/effects.ts';
import type { LocalPerformers } from './perform/performers.ts';
import { type InputSealing, inputSealing } from './perform/sealed-inputs.ts';
import { withSimulation } from './perform/simulation.ts';
import { readOnlyMemory, type UnrecordedPlan, verifyForGoal } from './perform/verify-plan.ts';
import { assertDerived, assertInLane, assertProven } from './proofs/assert-proven.ts';
import { beginningOf, type ContextDeps, type RunContexts, runContexts } from './run-contexts.ts';
import { runMetrics } from './run-metrics.ts';
import { dependencyUnavailable, isOutage } from './run-writer.ts';
import { type IsRevoked, type StandingView, standingView, withStanding } from './standing-grants.ts';
import { readThread } from './threads/thread-history.ts';
import { assertWithinThread } from './threads/thread-limits.ts';
import { assertMigratable, assertUsedVersions } from './used-versions.ts';

/** The first event of a run. */
export type GoalReceived = Extract<EventBody, { type: 'goal_received' }>;

/** The runs of one agent in one process, which writes to one journal under one writer name. */
export interface Host {
  /** Turns a request into the first event of a run, with the id of the run. Throws if the request is invalid. */
  receive(request: unknown, now?: number): GoalReceived;
  /** Starts a run with its first event. The goal is durable before anything else happens. */
  begin(goal: GoalReceived): Promise<LiveRun>;
  /** Receives a request and starts its run; with `lane`, as a lane of another run. */
  start(request: unknown, lane?: Omit<LaneStart, 'request'>): Promise<LiveRun>;
  /** Opens a run that was copied from another one. Its first input must be the fork event. */
  adopt(loaded: Loaded, from: readonly Frame[]): Promise<LiveRun>;
  /** Opens a run that another process drives, to deliver an input without taking it over. */
  visit(session: string, pins?: 'same' | 'any'): Promise<LiveRun>;
  /**
   * Opens a run without resuming it. `continueRun` takes it over; an operator's decision is delivered before that.
   */
  open(session: string, pins?: 'same' | 'any'): Promise<LiveRun>;
  continueRun(run: LiveRun): Promise<void>;
  /** Prepares the migration of a session that was started with other pins or tools. */
  migration(session: string, to?: Pins): Promise<HostMigration>;
  /** Verifies a plan for a run with this goal. Nothing is stored. */
  verifyPlan(goal: GoalReceived, proposed: UnrecordedPlan): Promise<PlanPreview>;
  /** Reads the state of a run without changing it. */
  loadState(session: string): Promise<RunState>;
  /** The environment to read these frames with: the limits and gates that their run was started with. */
  readonly rulesOf: RulesOf;
  readonly turn: TurnEnv;
  readonly agent: AgentSpec;
  /** Replaces secret and personal values in what a person sends to a run. */
  readonly seal: InputSealing['input'];
  /** Reloads the standing grants. */
  refresh(): Promise<void>;
}

interface HostMigration {
  readonly run: LiveRun;
  readonly planned: PlannedMigration;
  readonly newContext: JsonObject;
  readonly blobs: readonly Blob[];
}

export interface HostOptions {
  readonly pins: RunPins;
  readonly ports: RunPorts;
  readonly critic: TurnEnv['critic'];
  readonly journal: Journal;
  /** Compiles the schemas of recorded tools. */
  readonly schemas: () => CompileSchema;
  /** The Critic of runs with another rubric than this process's. */
  readonly criticFor: (rubric: Rubric, detectors: readonly string[]) => TurnEnv['critic'];
  readonly writer: string;
  /** Called whenever a run has been written to. */
  readonly writeSignal?: Pick<WriteSignal, 'ring'>;
  /** Omitted if decisions are not signed. */
  readonly isRevoked?: IsRevoked;
  /** Checks recorded decisions before a run continues by them. Omitted if decisions are not signed. */
  readonly proofs?: Proofs;
  readonly metrics?: Metrics;
  /** The agent is the worker of a lane, so a run of it without its lane is not continued. */
  readonly worksInLanes?: boolean;
}

/** Counts run events. Omitted without a metrics sink, so that turns skip the work. */
function metricsCounter({ metrics = NO_METRICS, journal, pins }: HostOptions): Pick<DriveEnv, 'counted'> {
  if (metrics === NO_METRICS) return {};
  return { counted: runMetrics({ metrics, journal, agent: pins.agent.name }) };
}

const NEVER_REVOKED: IsRevoked = async () => false;

function driveEnv(options: HostOptions, pins: RunPins, standing: StandingView, contexts: RunContexts): DriveEnv {
  const { ports, journal, writer, writeSignal, proofs } = options;
  const { switches } = ports;
  const { env, begunWith = env, agent } = pins;
  const own = options.pins.env;
  const judgesAsOwn = env.rubric === own.rubric && env.detectors === own.detectors;
  const critic = judgesAsOwn ? options.critic : options.criticFor(env.rubric, env.detectors);
  const answer = dispatch(localPerformers(pins, ports, contexts));
  const local = (state: RunState, effect: LocalEffect): Derived => {
    const answered = answer(state, effect);
    return effect.kind === 'clear_step' ? withStanding(standing, env, state, effect, answered) : answered;
  };
  return {
    turn: { env: begunWith, critic, local },
    outside: withSimulation(outsidePerformers(pins, ports, contexts), journal),
    writer: { journal, writer, agent: agent.name, hash: env.hash, ...(proofs === undefined ? {} : { switches }) },
    clock: ports.clock,
    timer: ports.timer,
    standing,
    ...(proofs === undefined ? {} : { proofs }),
    ...(writeSignal === undefined ? {} : { wrote: writeSignal.ring }),
    ...metricsCounter(options),
    ...(journal.drivers === undefined ? {} : { pollEveryMs: POLL_EVERY_MS }),
    ancestry: (ports.lanes ?? NO_LANES).ancestry,
    noteTripped: ({ id, work, fork }) => {
      // The calls of a simulation reach no tool, so their failures say nothing about one.
      if (fork?.simulate !== true) ports.gateway.noteTripped(id, work.tripped ?? {});
    },
  };
}

/** The parts of a host that its functions share. */
interface HostParts {
  readonly options: HostOptions;
  readonly standing: StandingView;
  readonly contexts: RunContexts;
  /** Other contexts of the same runs, with this memory. */
  readonly contextsFrom: (memory: MemoryStore | undefined) => RunContexts;
  /** The drive environment of this process. */
  readonly drive: DriveEnv;
  /** The pins and the drive environment of the run with these frames. */
  readonly driveOf: (frames: readonly Frame[]) => Promise<PinnedDrive>;
  /** The drive environment with these pins. */
  readonly driveWith: (pins: RunPins) => DriveEnv;
  readonly sealing: InputSealing;
}

export function createHost(options: HostOptions): Host {
  const { pins, ports, journal } = options;
  requireInputs(pins);
  const parts = hostParts(options);
  const { standing, drive, driveOf } = parts;
  const rulesOf: RulesOf = async (frames) => (await driveOf(frames)).drive.turn.env;
  const open: Host['open'] = (session, need) => openRun(parts, session, need);
  const receive: Host['receive'] = (request, now) => arrival(pins, ports, request, now);
  return {
    turn: drive.turn,
    agent: pins.agent,
    refresh: () => standing.refresh(),
    seal: parts.sealing.input,
    receive,
    begin: (goal) => startRun(parts, goal),
    start: async (request, lane) => await startRun(parts, asLane(receive(request), lane)),
    adopt: (loaded, from) => adoptRun(parts, loaded, from),
    visit: (session, need) => openRun(parts, session, need, 'visiting'),
    open,
    continueRun: async (run) => {
      await (ports.lanes ?? NO_LANES).endOpen(run.state);
      await continueRun(options, run);
    },
    migration: (session, to) => prepareMigration(parts, session, to),
    verifyPlan: (goal, proposed) => verifyPlan(parts, goal, proposed),
    loadState: async (session) => {
      const frames = await framesOf(journal, session);
      return foldRun(await rulesOf(frames), frames).state;
    },
    rulesOf,
  };
}

function hostParts(options: HostOptions): HostParts {
  const { pins, ports, journal, isRevoked = NEVER_REVOKED, proofs } = options;
  const standing = standingView(journal, isRevoked, proofs);
  const readHistory: ContextDeps['readHistory'] = async ({ tenant_id: tenant, thread, run_id: before }) =>
    await readThread(
      { journal, rulesOf: async (frames) => (await driveOf(frames)).pins.env },
      { tenant, thread, before },
    );
  const { context, contextParts: parts = [], env } = pins;
  const { hash } = env;
  const contextsFrom = (memory: MemoryStore | undefined): RunContexts =>
    runContexts({ context, parts, hash, journal, memory: memory ?? null, readHistory });
  const contexts = contextsFrom(ports.memory);
  const driveWith = (decided: RunPins): DriveEnv => driveEnv(options, decided, standing, contexts);
  const drive = driveWith(pins);
  const driveOf = drivesByRules(pins, journal, options.schemas, drive, driveWith);
  const toolOf = (name: string): ToolSpec | undefined => env.tools.get(name);
  const sealing = inputSealing({ vault: ports.vault, agent: pins.agent, toolOf, hash });
  return { options, standing, contexts, contextsFrom, drive, driveOf, driveWith, sealing };
}

async function verifyPlan(
  { options: { pins, ports }, contextsFrom, drive, sealing }: HostParts,
  received: GoalReceived,
  { proposal, author }: UnrecordedPlan,
): Promise<PlanPreview> {
  const goal = await sealing.unrecordedGoal(received);
  const contexts = contextsFrom(ports.memory === undefined ? undefined : readOnlyMemory(ports.memory));
  const now = ports.clock.nowMs();
  await contexts.begin(goal, now);
  assertWithinThread(pins.agent.thread, contexts.historyOf(goal.goal));
  const turn = { ...drive.turn, local: dispatch(localPerformers(pins, ports, contexts)) };
  const writtenBy = author ?? (ports.planner.written === undefined ? undefined : 'host');
  return verifyForGoal(turn, goal, now, writtenBy === undefined ? { proposal } : { proposal, author: writtenBy });
}

async function startRun(
  { options: { pins, ports }, standing, contexts, drive, sealing }: HostParts,
  received: GoalReceived,
): Promise<LiveRun> {
  const goal = await sealing.goal(received);
  await standing.refresh().catch(() => undefined);
  try {
    await contexts.begin(goal, ports.clock.nowMs());
    assertWithinThread(pins.agent.thread, contexts.historyOf(goal.goal));
    return await begin(drive, goal);
  } catch (error) {
    if (isOutage(error)) return await begin(withoutManifest(drive, error), goal);
    throw error;
  }
}

async function loadRun(
  { options: { journal, proofs, worksInLanes = false }, standing, driveOf }: HostParts,
  session: string,
  { need = 'same', how }: { readonly need?: 'same' | 'any'; readonly how?: 'visiting' | undefined } = {},
): Promise<{ readonly run: LiveRun; readonly pins: RunPins; readonly frames: readonly Frame[] }> {
  await standing.refresh();
  const frames = await framesOf(journal, session);
  const { pins, drive } = await driveOf(frames);
  const run = liveRun(drive, foldRun(drive.turn.env, frames), how);
  if (run.state.ending.terminal === null) await assertNotImported(journal, session);
  // A run that is only opened to end sends no call by its decisions.
  if (need === 'any') return { run, pins, frames };
  if (worksInLanes) assertInLane(run.state);
  await assertProven(proofs, journal, { state: run.state, frames });
  return { run, pins, frames };
}

async function openRun(
  parts: HostParts,
  session: string,
  need: 'same' | 'any' = 'same',
  how?: 'visiting',
): Promise<LiveRun> {
  const { pins: here, proofs, journal } = parts.options;
  const { run, pins, frames } = await loadRun(parts, session, { need, how });
  if (run.state.ending.terminal !== null || need === 'any') return run;
  assertUsedVersions(run.state, here, pins);
  await assertDerived(proofs, journal, { state: run.state, frames });
  await parts.contexts.reload(run.state);
  return run;
}

async function continueRun({ writer }: HostOptions, run: LiveRun): Promise<void> {
  if (run.state.ending.terminal !== null) return;
  const refused = await run.deliver({ type: 'run_reloaded', writer });
  if (refused !== null) throw refused;
}

async function adoptRun(
  { options: { pins }, standing, contexts, driveOf }: HostParts,
  loaded: Loaded,
  from: readonly Frame[],
): Promise<LiveRun> {
  await standing.refresh();
  const recorded = await driveOf(from);
  assertUsedVersions(loaded.state, pins, recorded.pins);
  await contexts.reload(loaded.state);
  return liveRun(recorded.drive, loaded);
}

async function prepareMigration(parts: HostParts, session: string, to?: Pins): Promise<HostMigration> {
  const { options, contexts, driveWith } = parts;
  const { pins, ports } = options;
  const { run: before, pins: recorded, frames } = await loadRun(parts, session);
  const newer = newerTools(recorded, pins, before.state);
  if (before.state.ending.terminal === null) {
    assertMigratable(before.state, pins, recorded);
    await assertDerived(options.proofs, options.journal, { state: before.state, frames });
  }
  const planned = planMigration(before.state, pins.agent.pins, { to, tools: newer?.tools });
  const drive = newer === null ? null : driveWith(pinsWithTools(recorded, pins, newer, options.schemas()));
  const run = drive === null ? before : liveRun(drive, foldRun(drive.turn.env, frames));
  const registry = newer === null ? [] : [newer.blob];
  if (samePins(planned.from, planned.to)) {
    await contexts.reload(run.state);
    return { run, planned, newContext: keptContext(run.state), blobs: registry };
  }
  const { intake } = run.state;
  const now = ports.clock.nowMs();
  if (intake.goal !== null) await contexts.begin(beginningOf(run.state, intake.goal), now);
  const { newContext, blobs } = migratedContext(run.state, pins.agent, contexts.of(run.state), now);
  return { run, planned, newContext, blobs: [...blobs, ...registry] };
}

/** Starts a run. Throws `run_context_in_use` if another run already uses this run context. */
async function begin(drive: DriveEnv, goal: EventBody): Promise<LiveRun> {
  const run = liveRun(drive, { state: initialState(drive.turn.env), place: BEGINNING });
  try {
    const refused = await run.deliver(goal);
    if (refused !== null) throw refused;
    return run;
  } catch (error) {
    if (!Fault.is(error) || error.code !== 'fenced') throw error;
    throw new Fault('run_context_in_use', 'another run already uses this run context', { cause: error });
  }
}

/** The drive environment for a run whose manifest could not be stored: the run ends before planning. */
function withoutManifest(drive: DriveEnv, fault: Fault): DriveEnv {
  const { local } = drive.turn;
  const stopped: Derived = { event: dependencyUnavailable(fault), blobs: [] };
  return {
    ...drive,
    turn: { ...drive.turn, local: (state, effect) => (effect.kind === 'init_run' ? stopped : local(state, effect)) },
  };
}

/** The cast is safe: the table maps each effect kind to its own performer, which the compiler cannot follow. */
function dispatch(performers: LocalPerformers): (state: RunState, effect: LocalEffect) => Derived {
  return (state, effect) => {
    const perform = performers[effect.kind] as (state: RunState, effect: EffectOf<LocalKind>) => Derived;
    return perform(state, effect);
  };
}

/** Checks the four inputs of a run and its compiled graph. The fault names the missing one before anything runs. */
function requireInputs({ context, agent, env, registry }: RunPins): void {
  requireInput(context, 'compiled context', '/context');
  requireInput(agent?.budget, 'run context with a budget', '/agent/budget');
  requireInput(env?.catalog, 'decision registry', '/env/catalog');
  requireInput(registry, 'tool registry', '/registry');
  assertCompiled(env.graph);
}

function requireInput(input: unknown, name: string, path: string): void {
  if (input === undefined || input === null) {
    throw new Fault('input_missing', `a run cannot start without a ${name}`, { path });
  }
}

/**
 * The first event of a lane: it has the run id of its call, the trace of its parent, and at most the parent's deadline.
 */
function asLane(arrived: GoalReceived, lane: Omit<LaneStart, 'request'> | undefined): GoalReceived {
  if (lane === undefined) return arrived;
  const { laneContext, traceId } = lane;
  const expires_at = Math.min(arrived.expires_at, laneContext.deadline);
  return { ...arrived, run_id: laneContext.run_id, trace_id: traceId, expires_at, lane: laneContext };
}
