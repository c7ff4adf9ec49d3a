import { initialState } from '../../kernel/initial-state.ts';
import { verdictEnvelope } from '../../kernel/record-decision.ts';
import type { RunState } from '../../kernel/state.ts';
import type { Artifact } from '../../model/artifact.ts';
import type { ImportNote } from '../../model/bundle.ts';
import { Fault } from '../../model/fault.ts';
import type { Frame } from '../../model/frame.ts';
import type { RunTrace } from '../../model/trace.ts';
import type { Approvers } from '../../ports/approvers.ts';
import type { KeyStore } from '../../ports/keys.ts';
import type { Planner } from '../../ports/planner.ts';
import { accountOf } from '../../record/account.ts';
import type { FinishedRun } from '../../record/handovers/finished-run.ts';
import { assertLineage } from '../../record/model-exchanges.ts';
import type { OtlpTraces } from '../../record/otel/otlp.ts';
import { type RunCounts, runCounts } from '../../record/rates/run-counts.ts';
import { traceOf } from '../../record/trace/trace-of.ts';
import { diffRuns, type RunDiff } from '../../replay/diff-runs.ts';
import { type ReplayEnv, type Replayed, replayRun } from '../../replay/replay.ts';
import { standingOf } from '../../replay/standing.ts';
import { type StateView, stateAt } from '../../replay/state-view.ts';
import { trajectoryProblem } from '../../replay/trajectory.ts';
import { walkRun } from '../../replay/walk-run.ts';
import { type WhatIf, whatIf } from '../../replay/what-if.ts';
import { named } from '../../session/given.ts';
import type { Host, HostOptions } from '../../session/host.ts';
import { importNote } from '../../session/imported.ts';
import { outcomeOf, type RunOutcome } from '../../session/outcome.ts';
import { runReader } from '../../session/read-run.ts';
import { assertRecordedContext, assertStoredParts } from '../../session/recorded.ts';
import type { Runtime } from '../../session/runtime.ts';
import { EVERY } from '../../session/session-list.ts';
import { assertCheckpoints } from '../../session/stored-checkpoints.ts';
import { pausedFor } from '../../session/why-paused.ts';
import type { Machine } from '../machine.ts';
import { type ChainReport, checkChain } from './check-chain.ts';
import { exportText } from './export-run.ts';
import { artifactsOf, type Finishing, finishedRun } from './finished.ts';
import { type ForkOrigin, forkOrigin } from './fork-origin.ts';
import { type ForkOptions, forkRun } from './fork-run.ts';
import { type ImportedRun, importText } from './import-run.ts';
import { observationAt, type RawObservation } from './observation.ts';
import { otelTrace } from './otel-trace.ts';
import { decidedOtherwise, type Otherwise } from './otherwise.ts';
import { type DecidingRoom, foreignEnv, ownEnv } from './pins.ts';
import { assertUnaltered } from './run-blobs.ts';

/** What is left of runs, and what can be made of it. Nothing here calls a tool, a model or a person. */
export interface RunRecords {
  /** Takes every turn of a run again from its journal alone; a Fault names the first thing that comes out differently. */
  replay(runId: string): Promise<Replayed>;
  /** The whole path of a run that has ended, in fourteen fields. The same each time, and frozen. */
  trace(runId: string): Promise<RunTrace>;
  /** That path in one sentence: allowed, chose, called, spent, updated, ended. */
  account(runId: string): Promise<string>;
  /** The same path as one OpenTelemetry trace, its lanes included, in the JSON that a collector takes; also of a run under way. */
  otel(runId: string): Promise<OtlpTraces>;
  /** What the run adds to the rates of many (`ratesOf`): plans, steps, retries, lanes, escalations, time. */
  counts(runId: string): Promise<RunCounts>;
  /** What a `tool_calls[].observation` of the trace leads to. */
  observation(runId: string, pointer: string): Promise<RawObservation>;
  /** How the run stood after its event of this number, from 1. */
  stateAt(runId: string, event: number): Promise<StateView>;
  /** Where two runs part, apart from their names and times. */
  diff(runId: string, otherRunId: string): Promise<RunDiff>;
  /** What would have been decided otherwise, and from where on nobody knows. */
  whatIf(runId: string, otherwise: Otherwise): Promise<WhatIf>;
  /** Everything that is left of a run that has ended, for the exports that others make something of. */
  finished(runId: string): Promise<FinishedRun>;
  /** Plan, transcripts, verdict, decision record, trace and memory proposals, each by itself and under its own address. */
  artifacts(runId: string): Promise<readonly Artifact[]>;
  /** A run in one file, and with it those of its lanes: they replay wherever it is brought. */
  exportRun(runId: string): Promise<Uint8Array>;
  /** Puts such a file into the store, to be looked at and replayed. `bundle_invalid` names what was altered. */
  importRun(file: Uint8Array): Promise<ImportedRun>;
  /** Where a run came from; null for one that was made here. */
  imported(runId: string): Promise<ImportNote | null>;
  /** Which run a fork began as, and where; null for a run that began with a request. */
  forkOf(runId: string): Promise<ForkOrigin | null>;
  /** Another run that begins as this one did, up to one of its verdicts. What it changes is simulated, unless a person lets it. */
  fork(runId: string, options: ForkOptions): Promise<RunOutcome>;
  /** Holds every byte of a run, or of all runs in the store, to its hash. */
  verifyChain(runId?: string): Promise<ChainReport>;
}

export interface RecordsRoom extends DecidingRoom {
  readonly parts: Pick<HostOptions, 'pins' | 'critic' | 'journal' | 'ports' | 'writer'>;
  readonly host: Host;
  readonly approvers: Approvers;
  readonly machine: Pick<Machine, 'hash' | 'archive'>;
  /** Null where nobody signs. */
  readonly keys: KeyStore | null;
  /** How a run of this agent stands. */
  readonly outcome: Runtime['outcome'];
  /** Every agent of the runtime, those that work in lanes among them, by its name. */
  readonly agents: ReadonlyMap<string, DecidingRoom>;
  /** Who plans, for what a run says about the models that were asked. */
  readonly planners: readonly Pick<Planner, 'uses'>[];
}

export function runRecords(room: RecordsRoom): RunRecords & Pick<Runtime, 'outcome'> {
  const { journal, ports } = room.parts;
  const { hash, archive } = room.machine;
  const { frames, events } = runReader(journal);
  const pinned = async (runId: string): Promise<ReplayEnv> => {
    const [happened, note] = [await events(runId), await importNote(journal, runId)];
    if (note !== null) return await foreignEnv(room, journal, happened, note.pins);
    return await ownEnv(await decidingOn(room, runId), journal, happened);
  };
  const trace = async (runId: string): Promise<RunTrace> => traced(await pinned(runId), await frames(runId));
  const exported = async (runId: string): Promise<Uint8Array> => {
    const exporting = { journal, hash, keys: room.keys, now: ports.clock.nowMs(), pinned };
    return archive.pack(await exportText(exporting, await frames(runId)));
  };
  const finishing = async (runId: string): Promise<Finishing> => {
    const [found, env] = [await frames(runId), await pinned(runId)];
    return { journal, hash, trace: traced(env, found), frames: found, pinned: env };
  };
  return {
    // A run from elsewhere is read with what came with it: the agent here may be another one.
    outcome: async (runId) => {
      if ((await importNote(journal, named(runId))) === null) return await room.outcome(runId);
      const state = finalState(await pinned(runId), await frames(runId));
      return outcomeOf(state, undefined, await pausedFor(journal, state));
    },
    trace,
    account: async (runId) => accountOf(await trace(runId)),
    otel: async (runId) => await otelTrace({ journal, hash, pinned }, await frames(runId)),
    counts: async (runId) => {
      const { work, planning, guard, intake } = finalState(await pinned(runId), await frames(runId));
      const { replans } = planning;
      const folded = { risk: intake.risk, replans, loopGuardTrips: guard.trips, lanes: work.lanes ?? [] };
      return runCounts(named(runId), await events(runId), folded);
    },
    observation: async (runId, pointer) => await observationAt(journal, await frames(runId), pointer),
    stateAt: async (runId, event) => stateAt((await pinned(runId)).env, await frames(runId), event),
    diff: async (runId, otherRunId) => diffRuns(await frames(runId), await frames(otherRunId)),
    whatIf: async (runId, otherwise) => {
      const recorded = await pinned(runId);
      return whatIf(recorded, decidedOtherwise(room, recorded, otherwise), await frames(runId));
    },
    replay: async (runId) => {
      const found = await frames(runId);
      const replayed = replayRun(await pinned(runId), found);
      await assertCheckpoints(journal, runId, replayed.turns);
      await assertUnaltered(journal, found);
      const happened = await events(runId);
      await assertRecordedContext(journal, happened);
      await assertStoredParts(journal, happened);
      const imported = (await importNote(journal, runId)) !== null;
      await assertLineage(journal, happened, imported ? [] : room.planners);
      return replayed;
    },
    finished: async (runId) => await finishedRun(await finishing(runId), await exported(runId)),
    artifacts: async (runId) => {
      const ended = await finishing(runId);
      return await artifactsOf(ended, verdictEnvelope(finalState(ended.pinned, ended.frames)));
    },
    exportRun: exported,
    importRun: async (file) =>
      await importText({ ...room, journal, hash, now: ports.clock.nowMs() }, archive.unpack(bytesOf(file))),
    imported: async (runId) => await importNote(journal, runId),
    forkOf: async (runId) => await forkOrigin(journal, runId),
    fork: async (runId, options) => {
      const { pins, writer } = room.parts;
      const to = { journal, hash, writer, agent: pins.agent.name, ids: ports.ids };
      const { env } = await pinned(runId);
      return await forkRun({ ...to, env, host: room.host, approvers: room.approvers }, await frames(runId), options);
    },
    verifyChain: async (runId) => {
      const runIds = runId === undefined ? await everyRun(room) : [runId];
      if (runId !== undefined) await assertThere(room, runId);
      return await checkChain(journal, runIds, async (found) => {
        const { env } = await pinned(found[0]?.session ?? '');
        return standingOf(env, found).checkpoints;
      });
    },
  };
}

/** The room of the agent whose run it is: lanes are the runs of others. */
async function decidingOn(room: RecordsRoom, runId: string): Promise<DecidingRoom> {
  const [row] = await room.parts.journal.list({ session: runId, limit: 1 });
  return room.agents.get(row?.agent ?? '') ?? room;
}

function finalState({ env }: ReplayEnv, frames: readonly Frame[]): RunState {
  let state = initialState(env);
  for (const walked of walkRun(env, frames)) state = walked.state;
  return state;
}

/** A trace whose trajectory could not be is not handed out. */
function traced({ env }: ReplayEnv, frames: readonly Frame[]): RunTrace {
  const standing = standingOf(env, frames);
  const trace = traceOf(frames, standing);
  const problem = trajectoryProblem(env, standing.moves, trace.escalation_events);
  if (problem !== null) throw new Fault('replay_divergence', problem);
  return trace;
}

function bytesOf(file: unknown): Uint8Array {
  if (file instanceof Uint8Array) return file;
  throw new Fault('input_invalid', 'a bundle is the bytes of a file');
}

async function everyRun({ parts: { journal } }: RecordsRoom): Promise<readonly string[]> {
  return (await journal.list({ order: 'oldest', limit: EVERY })).map(({ session_id }) => session_id);
}

async function assertThere({ parts: { journal } }: RecordsRoom, runId: string): Promise<void> {
  const found = await journal.list({ session: runId, limit: 1 });
  if (found.length === 0) throw new Fault('session_not_found', `there is no session ${runId}`);
}
