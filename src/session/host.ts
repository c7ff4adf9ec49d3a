import type { Derived } from '../kernel/derive.ts';
import type { LocalEffect, LocalKind } from '../kernel/effect-kinds.ts';
import { initialState } from '../kernel/initial-state.ts';
import type { RunState } from '../kernel/state.ts';
import type { TurnEnv } from '../kernel/turn.ts';
import type { AgentSpec } from '../model/agent.ts';
import type { Blob } from '../model/blob.ts';
import type { Pins } from '../model/context.ts';
import type { EffectOf } from '../model/effect.ts';
import type { EventBody } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { Frame } from '../model/frame.ts';
import type { JsonObject } from '../model/json.ts';
import type { Journal } from '../ports/journal.ts';
import { type Metrics, NO_METRICS } from '../ports/metrics.ts';
import type { Bell } from './bell.ts';
import { assertAskable } from './decided-by.ts';
import { type DriveEnv, type LiveRun, liveRun } from './drive.ts';
import { drivesByRules, type RulesOf } from './drives-by-rules.ts';
import { arrival, localPerformers, outsidePerformers, type RunPins, type RunPorts } from './effects.ts';
import { simulated } from './fork/simulated.ts';
import { assertMadeHere } from './imported.ts';
import { requireInputs } from './inputs.ts';
import { BEGINNING } from './journal-writer.ts';
import type { LaneStart } from './lanes/family.ts';
import { inItsSeat } from './lanes/lane-arrival.ts';
import { foldRun, framesOf, type Loaded } from './load.ts';
import { migratedContext, pinsBefore } from './migrate.ts';
import { LOOK_EVERY_MS } from './news.ts';
import { isOutage, unavailable } from './outage.ts';
import type { LocalPerformers } from './performers.ts';
import { type RunContexts, runContexts } from './run-contexts.ts';
import { runMetrics } from './run-metrics.ts';
import { assertSamePins } from './same-pins.ts';
import { sealGoal, sealInputs } from './seal-inputs.ts';
import { type IsRevoked, type StandingView, standingView } from './standing-view.ts';
import { withStanding } from './with-standing.ts';

/** Runs of one agent in one process, all writing to one journal under one name. */
export interface Host {
  /** Starts a run. The goal is durable before anything else happens. */
  start(request: unknown, lane?: Omit<LaneStart, 'request'>): Promise<LiveRun>;
  /** Takes over a run that another process, or an earlier life of this one, has begun. */
  reload(session: string): Promise<LiveRun>;
  /** A run that was put together from another one, to be told first that it is a fork. */
  adopt(loaded: Loaded, from: readonly Frame[]): Promise<LiveRun>;
  /** Says something to a run that another process drives, and leaves it to that process. */
  visit(session: string): Promise<LiveRun>;
  /** A run as it stands, to be told first what an operator has decided and then, with `goOn`, that it goes on here. */
  open(session: string, pins?: 'same' | 'any'): Promise<LiveRun>;
  goOn(run: LiveRun): Promise<void>;
  /** A session that was started on other pins than these, and what it would be told if it went on here. */
  migration(session: string, to: Pins): Promise<HostMigration>;
  /** How a run stands, without touching it. */
  look(session: string): Promise<RunState>;
  /** What these frames are read with: the limits and gates that their run was begun with. */
  readonly rulesOf: RulesOf;
  readonly turn: TurnEnv;
  readonly agent: AgentSpec;
  /** What a run is given, with handles in place of what is secret or personal. */
  seal(tenantId: string, inputs: JsonObject): Promise<JsonObject>;
  /** Looks at what people have permitted in advance, as it is now. */
  refresh(): Promise<void>;
}

export interface HostMigration {
  readonly run: LiveRun;
  readonly from: Pins;
  readonly told: JsonObject;
  readonly blobs: readonly Blob[];
}

export interface HostOptions {
  readonly pins: RunPins;
  readonly ports: RunPorts;
  readonly critic: TurnEnv['critic'];
  readonly journal: Journal;
  readonly writer: string;
  /** Rung whenever a run has been written to; left out where nobody listens. */
  readonly bell?: Pick<Bell, 'ring'>;
  /** Left out where nobody signs. */
  readonly isRevoked?: IsRevoked;
  readonly metrics?: Metrics;
}

/** Nothing is looked at where nobody counts. */
function counting({ metrics = NO_METRICS, journal, pins }: HostOptions): Pick<DriveEnv, 'counted'> {
  if (metrics === NO_METRICS) return {};
  return { counted: runMetrics({ metrics, journal, agent: pins.agent.name }) };
}

const NOBODY_SIGNS: IsRevoked = async () => false;

/** Everything that a run is driven with, deciding by these pins. */
function driveEnv(options: HostOptions, pins: RunPins, standing: StandingView, contexts: RunContexts): DriveEnv {
  const { ports, critic, journal, writer, bell } = options;
  const { env, agent } = pins;
  const answer = dispatch(localPerformers(pins, ports, contexts));
  const local = (state: RunState, effect: LocalEffect): Derived => {
    const answered = answer(state, effect);
    return effect.kind === 'clear_step' ? withStanding(standing, env, state, effect, answered) : answered;
  };
  return {
    turn: { env, critic, local },
    outside: simulated(outsidePerformers(pins, ports, contexts), journal),
    writer: { journal, writer, agent: agent.name, hash: env.hash },
    clock: ports.clock,
    timer: ports.timer,
    standing,
    ...(bell === undefined ? {} : { wrote: bell.ring }),
    ...counting(options),
    ...(journal.drivers === undefined ? {} : { lookEveryMs: LOOK_EVERY_MS }),
    noteTripped: ({ id, work }) => ports.gateway.noteTripped(id, work.tripped ?? {}),
  };
}

export function createHost(options: HostOptions): Host {
  const { pins, ports, journal, writer, isRevoked = NOBODY_SIGNS } = options;
  requireInputs(pins);
  const standing = standingView(journal, isRevoked);
  const { context, contextParts: parts = [], env } = pins;
  const contexts = runContexts({ context, parts, hash: env.hash, journal, memory: ports.memory ?? null });
  const driveWith = (decided: RunPins): DriveEnv => driveEnv(options, decided, standing, contexts);
  const drive = driveWith(pins);
  const driveOf = drivesByRules(pins, journal, drive, driveWith);
  const rulesOf: RulesOf = async (frames) => (await driveOf(frames)).turn.env;
  const found = async (
    session: string,
    how?: 'visiting',
  ): Promise<{ readonly run: LiveRun; readonly by: DriveEnv }> => {
    await standing.refresh();
    const frames = await framesOf(journal, session);
    const by = await driveOf(frames);
    const run = liveRun(by, foldRun(by.turn.env, frames), how);
    if (run.state.ending.terminal === null) await assertMadeHere(journal, session);
    return { run, by };
  };
  const open = async (session: string, need: 'same' | 'any' = 'same', how?: 'visiting'): Promise<LiveRun> => {
    const { run, by } = await found(session, how);
    if (run.state.ending.terminal !== null || need === 'any') return run;
    assertSamePins(run.state.manifest, pins.agent.pins, pins.env);
    assertAskable(pins.env, by.turn.env);
    await contexts.reload(run.state);
    return run;
  };
  const goOn = async (run: LiveRun): Promise<void> => {
    if (run.state.ending.terminal !== null) return;
    const refused = await run.deliver({ type: 'run_reloaded', writer });
    if (refused !== null) throw refused;
  };
  return {
    turn: drive.turn,
    agent: pins.agent,
    refresh: () => standing.refresh(),
    seal: (tenantId, inputs) => sealInputs(ports.vault, pins.agent, tenantId, inputs),
    start: async (request, lane) => {
      const goal = await sealGoal(ports.vault, pins.agent, inItsSeat(arrival(pins, ports, request), lane));
      await standing.refresh().catch(() => undefined);
      try {
        await contexts.begin(goal, ports.clock.nowMs());
        return await begin(drive, goal);
      } catch (error) {
        if (isOutage(error)) return await begin(withoutManifest(drive, error), goal);
        throw error;
      }
    },
    reload: async (session) => {
      const run = await open(session);
      await goOn(run);
      return run;
    },
    adopt: async (loaded, from) => {
      await standing.refresh();
      assertSamePins(loaded.state.manifest, pins.agent.pins, pins.env);
      const by = await driveOf(from);
      assertAskable(pins.env, by.turn.env);
      await contexts.reload(loaded.state);
      return liveRun(by, loaded);
    },
    visit: (session) => open(session, 'same', 'visiting'),
    open,
    goOn,
    migration: async (session, to) => {
      const { run, by } = await found(session);
      const from = pinsBefore(run.state, pins.agent.pins, to);
      const { manifest, intake, id } = run.state;
      if (manifest !== null) assertSamePins({ ...manifest, ...to }, pins.agent.pins, pins.env);
      assertAskable(pins.env, by.turn.env);
      const now = ports.clock.nowMs();
      if (intake.goal !== null) await contexts.begin({ goal: intake.goal, tenant_id: id.tenantId }, now);
      return { run, from, ...migratedContext(run.state, pins.agent, contexts.of(run.state), now) };
    },
    look: async (session) => {
      const frames = await framesOf(journal, session);
      return foldRun(await rulesOf(frames), frames).state;
    },
    rulesOf,
  };
}

/** One run owns its context alone: whoever finds it taken has not started anything. */
async function begin(drive: DriveEnv, goal: EventBody): Promise<LiveRun> {
  const run = liveRun(drive, { state: initialState(drive.turn.env), place: BEGINNING });
  try {
    const refused = await run.deliver(goal);
    if (refused !== null) throw refused;
    return run;
  } catch (error) {
    if (!Fault.is(error) || error.code !== 'fenced') throw error;
    throw new Fault('run_context_in_use', 'another run is working on this run context', { cause: error });
  }
}

/** A run whose manifest could not be stored does not get as far as planning. */
function withoutManifest(drive: DriveEnv, fault: Fault): DriveEnv {
  const { local } = drive.turn;
  const stopped: Derived = { event: unavailable(fault), blobs: [] };
  return {
    ...drive,
    turn: { ...drive.turn, local: (state, effect) => (effect.kind === 'init_run' ? stopped : local(state, effect)) },
  };
}

/** The table knows which performer answers which effect; the types of one entry do not fit another's. */
function dispatch(performers: LocalPerformers): (state: RunState, effect: LocalEffect) => Derived {
  return (state, effect) => {
    const perform = performers[effect.kind] as (state: RunState, effect: EffectOf<LocalKind>) => Derived;
    return perform(state, effect);
  };
}
