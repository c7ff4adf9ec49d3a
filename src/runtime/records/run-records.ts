import type { Machine } from '../../agent/machine.ts';
import { initialState, type RunState, type Turn, verdictEnvelope } from '../../kernel/index.ts';
import { isCheckpointOf } from '../../model/events/checkpoint.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { Artifact } from '../../model/record/artifact.ts';
import type { ImportNote } from '../../model/record/bundle.ts';
import type { RunTrace } from '../../model/record/trace.ts';
import type { Approvers } from '../../ports/approvers.ts';
import type { Journal, StoredTexts } from '../../ports/journal/journal.ts';
import type { KeyStore } from '../../ports/keys.ts';
import type { Planner } from '../../ports/model/planner.ts';
import type { Proofs } from '../../ports/proofs.ts';
import { accountOf } from '../../record/account.ts';
import type { FinishedRun } from '../../record/handovers.ts';
import { assertLineage } from '../../record/model-exchanges.ts';
import { type OtlpSpan, type OtlpTraces, runSpans, tracesOf } from '../../record/telemetry/run-spans.ts';
import { traceOf } from '../../record/trace/trace-of.ts';
import { diffRuns, type RunDiff } from '../../replay/diff-runs.ts';
import { type ReplayEnv, type Replayed, replayRun } from '../../replay/replay.ts';
import { type StateView, stateAt } from '../../replay/state-view.ts';
import { illegalMoves, lanesOpened, standingOf, walkRun } from '../../replay/walk-run.ts';
import { type WhatIf, whatIf } from '../../replay/what-if.ts';
import type { Host, HostOptions } from '../../session/host.ts';
import { importNote } from '../../session/import-note.ts';
import { framesOf } from '../../session/load.ts';
import { loadOutcome } from '../../session/load-outcome.ts';
import type { RunOutcome } from '../../session/outcome.ts';
import { requireId } from '../../session/read-input.ts';
import { eventsInFrames } from '../../session/recorded-rules.ts';
import { foreignProofs } from '../gates/proofs.ts';
import type { RunActions } from '../runtime.ts';
import { EVERY } from '../sessions/list-sessions.ts';
import { type ChainReport, checkChain } from './check-chain.ts';
import { exportText } from './export-run.ts';
import { artifactsOf, type Finishing, finishedRun } from './finished-run.ts';
import { type ForkOptions, type ForkOrigin, forkOrigin, forkRun } from './fork-run.ts';
import { type ImportedRun, importText } from './import-run.ts';
import { observationAt, type RawObservation } from './observation.ts';
import { foreignEnv, ownEnv, type ReplayDeps } from './pins.ts';
import { joinReports, type ProofReport, proofReport } from './proof-report.ts';
import { assertRecordedContext, assertStoredParts } from './recorded-env.ts';
import { assertUnaltered, runBlobs, sessionsOfRun } from './run-blobs.ts';
import { type WhatIfRules, withWhatIfRules } from './what-if-rules.ts';

/** A replayed run. A replay needs no keys and derives the same without them; `proofs` says whether keys were here. */
export interface CheckedReplay extends Replayed {
  readonly proofs: ProofReport;
}

/** The result of `verify`: the stored items by their hashes, and the decisions of people by their signatures. */
export interface VerifyReport extends ChainReport {
  readonly proofs: ProofReport;
}

/** Queries on recorded runs. None of them calls a tool, a model or a person. */
export interface RunRecords {
  /** Replays every turn of a run from its journal alone. Throws a fault that names the first difference. */
  replay(runId: string): Promise<CheckedReplay>;
  /** The complete path of a run that has ended, in fourteen fields. Deterministic and frozen. */
  trace(runId: string): Promise<RunTrace>;
  /** The path in one sentence: allowed, chose, called, spent, updated, ended. */
  account(runId: string): Promise<string>;
  /** The path as one OpenTelemetry trace in OTLP JSON, lanes included. Also works for a run in progress. */
  otel(runId: string): Promise<OtlpTraces>;
  /** The raw result that a `tool_calls[].observation` of the trace points to. */
  observation(runId: string, pointer: string): Promise<RawObservation>;
  /** The state of the run after the event with this number, counted from 1. */
  stateAt(runId: string, event: number): Promise<StateView>;
  /** The first difference between two runs, ignoring ids and times. */
  diff(runId: string, otherRunId: string): Promise<RunDiff>;
  /** The decisions that other rules would change, and the point from which the outcome is unknown. */
  whatIf(runId: string, otherwise: WhatIfRules): Promise<WhatIf>;
  /** Everything that is stored of a run that has ended, as input for the handover documents. */
  finished(runId: string): Promise<FinishedRun>;
  /** Plan, transcripts, verdict, decision record, trace and memory proposals, each with its own address. */
  artifacts(runId: string): Promise<readonly Artifact[]>;
  /** A run and its lanes in one file that replays anywhere. */
  export(runId: string): Promise<Uint8Array>;
  /** Imports such a file for reading and replay. `bundle_invalid` names the altered part. */
  import(file: Uint8Array): Promise<ImportedRun>;
  /** The import note of a run; null for a run that was made here. */
  imported(runId: string): Promise<ImportNote | null>;
  /** The run and the checkpoint that a fork began from; null for a run that is not a fork. */
  forkOf(runId: string): Promise<ForkOrigin | null>;
  /** Creates a run that repeats this one up to a verdict. Side effects are simulated unless a person permits them. */
  fork(runId: string, options: ForkOptions): Promise<RunOutcome>;
  /**
   * Checks everything that is stored of a run, or of all runs in the store, against its hashes, and the decisions of
   * people against the enrolled keys.
   */
  verify(runId?: string): Promise<VerifyReport>;
}

/** The dependencies for deriving any run of the store. */
export interface RulesDeps extends ReplayDeps {
  readonly parts: Pick<HostOptions, 'pins' | 'critic' | 'journal'>;
  /** Every agent of the runtime by name, including those in lanes. */
  readonly agents: ReadonlyMap<string, ReplayDeps>;
}

interface RecordsDeps extends RulesDeps {
  readonly parts: Pick<HostOptions, 'pins' | 'critic' | 'journal' | 'ports' | 'writer'>;
  readonly host: Host;
  readonly approvers: Approvers;
  /** Omitted if decisions are not signed. */
  readonly proofs?: Proofs;
  /** The role required to fork for real; `operator` by default. */
  readonly operatorRole: string | undefined;
  readonly machine: Pick<Machine, 'hash' | 'archive' | 'signatures'>;
  /** Null if decisions are not signed. */
  readonly keys: KeyStore | null;
  /** The outcome of a run of this agent. */
  readonly outcome: RunActions['get'];
  /** The planners of this agent, used to check the recorded model versions. */
  readonly planners: readonly Pick<Planner, 'uses'>[];
}

export function runRecords(deps: RecordsDeps): RunRecords & Pick<RunActions, 'get'> {
  const { journal, ports } = deps.parts;
  const { hash, archive, signatures } = deps.machine;
  const pinned = async (frames: readonly Frame[]): Promise<ReplayEnv> => await replayRules(deps, frames);
  const frames = async (runId: string): Promise<readonly Frame[]> => await framesOf(journal, requireId(runId));
  const read: ReadRun = async (runId) => {
    const found = await frames(runId);
    return { frames: found, pinned: await pinned(found) };
  };
  const trace = async (runId: string): Promise<RunTrace> => buildTrace(await read(runId));
  const exported = async (runId: string): Promise<Uint8Array> => {
    const exporting = { journal, hash, keys: deps.keys, now: ports.clock.nowMs(), pinned };
    return archive.pack(await exportText(exporting, await frames(runId)));
  };
  const finishing = async (runId: string): Promise<Finishing> => {
    const run = await read(runId);
    return { journal, hash, trace: buildTrace(run), ...run };
  };
  return {
    // An imported run uses its own recorded pins, because the agent here may differ.
    get: async (runId) => {
      if ((await importNote(journal, requireId(runId))) === null) return await deps.outcome(runId);
      return await loadOutcome(journal, finalState(await read(runId)));
    },
    trace,
    account: async (runId) => accountOf(await trace(runId)),
    otel: async (runId) => await otelTrace({ journal, hash, pinned }, await frames(runId)),
    observation: async (runId, pointer) => await observationAt(journal, await frames(runId), pointer),
    stateAt: async (runId, event) => {
      const run = await read(runId);
      return stateAt(run.pinned.env, run.frames, event);
    },
    diff: async (runId, otherRunId) => diffRuns(await frames(runId), await frames(otherRunId)),
    whatIf: async (runId, otherwise) => {
      const run = await read(runId);
      return whatIf(run.pinned, withWhatIfRules(deps, run.pinned, otherwise), run.frames);
    },
    replay: (runId) => replayStored(deps, read, runId),
    finished: async (runId) => await finishedRun(await finishing(runId), await exported(runId)),
    artifacts: async (runId) => {
      const ended = await finishing(runId);
      return await artifactsOf(ended, verdictEnvelope(finalState(ended)));
    },
    export: exported,
    import: async (file) =>
      await importText(
        { ...deps, journal, hash, proofs: foreignProofs(deps.keys, signatures), now: ports.clock.nowMs() },
        archive.unpack(requireBytes(file)),
      ),
    imported: async (runId) => await importNote(journal, runId),
    forkOf: async (runId) => await forkOrigin(journal, runId),
    fork: async (runId, options) => {
      const { pins, writer } = deps.parts;
      const to = { journal, hash, writer, agent: pins.agent.name, ids: ports.ids };
      const run = await read(runId);
      const { host, approvers, proofs, operatorRole = 'operator' } = deps;
      const isImported = async (of: string): Promise<boolean> => (await importNote(journal, of)) !== null;
      const forking = { ...to, env: run.pinned.env, host, approvers, proofs, operatorRole, isImported };
      return await forkRun(forking, run.frames, options);
    },
    verify: (runId) => verifyStored(deps, runId),
  };
}

/** A recorded run, read once, and the environment that it is replayed in. */
interface RecordedRun {
  readonly frames: readonly Frame[];
  readonly pinned: ReplayEnv;
}

type ReadRun = (runId: string) => Promise<RecordedRun>;

/** The environment that a run is replayed in. An imported run uses its own recorded pins. */
export async function replayRules(deps: RulesDeps, frames: readonly Frame[]): Promise<ReplayEnv> {
  const { journal } = deps.parts;
  const runId = frames[0]?.session ?? '';
  const [happened, note] = [frames.flatMap(frameEvents), await importNote(journal, runId)];
  if (note !== null) return await foreignEnv(deps, journal, happened, note.pins);
  return await ownEnv(await depsOfRun(deps, runId), journal, happened);
}

/** Replays a run, and checks its stored checkpoints, blobs, context and model exchanges. */
async function replayStored(deps: RecordsDeps, read: ReadRun, runId: string): Promise<CheckedReplay> {
  const { journal } = deps.parts;
  const { frames, pinned } = await read(runId);
  const replayed = replayRun(pinned, frames);
  const texts = await journal.texts(sessionsOfRun(frames), frames);
  await assertCheckpoints(texts, runId, replayed.turns);
  await assertUnaltered(journal, texts, frames);
  const happened = frames.flatMap(frameEvents);
  const blobs = runBlobs(journal, texts);
  await assertRecordedContext(blobs, happened);
  await assertStoredParts(blobs, happened);
  const imported = (await importNote(journal, runId)) !== null;
  await assertLineage(blobs, happened, imported ? [] : deps.planners);
  return { ...replayed, proofs: await proofsOf(deps, frames, 'done') };
}

/** The proofs of a run. An imported run was decided elsewhere, so its decisions count as unproven without keys here. */
async function proofsOf(
  { parts, keys, proofs, machine }: RecordsDeps,
  frames: readonly Frame[],
  derivation: 'done' | 'needed',
): Promise<ProofReport> {
  const imported = (await importNote(parts.journal, frames[0]?.session ?? '')) !== null;
  return await proofReport(imported ? foreignProofs(keys, machine.signatures) : proofs, frames, derivation);
}

/** Checks one run, or every run in the store, against its hashes. */
async function verifyStored(deps: RecordsDeps, runId: string | undefined): Promise<VerifyReport> {
  const { journal } = deps.parts;
  const query = runId === undefined ? { order: 'oldest' as const, limit: EVERY } : { session: runId, limit: 1 };
  const runIds = (await journal.list(query)).map(({ session_id }) => session_id);
  if (runId !== undefined && runIds.length === 0) throw new Fault('session_not_found', `there is no session ${runId}`);
  const reports: ProofReport[] = [];
  const chain = await checkChain(journal, runIds, async (frames) => {
    reports.push(await proofsOf(deps, frames, 'needed'));
    const { env } = await replayRules(deps, frames);
    return standingOf(env, frames).checkpoints;
  });
  return { ...chain, proofs: joinReports(reports) };
}

/** The dependencies of the agent that owns the run. A lane belongs to another agent. */
async function depsOfRun(deps: RulesDeps, runId: string): Promise<ReplayDeps> {
  const [row] = await deps.parts.journal.list({ session: runId, limit: 1 });
  return deps.agents.get(row?.agent ?? '') ?? deps;
}

function finalState({ frames, pinned: { env } }: RecordedRun): RunState {
  let state = initialState(env);
  for (const walked of walkRun(env, frames)) state = walked.state;
  return state;
}

/** Builds the trace and rejects an impossible trajectory. */
function buildTrace({ frames, pinned: { env } }: RecordedRun): RunTrace {
  const standing = standingOf(env, frames);
  const trace = traceOf(frames, standing);
  const [problem] = illegalMoves(env, standing.moves, trace.escalation_events);
  if (problem !== undefined) throw new Fault('replay_divergence', problem);
  return trace;
}

function requireBytes(file: unknown): Uint8Array {
  if (file instanceof Uint8Array) return file;
  throw new Fault('input_invalid', 'a bundle must be a Uint8Array with the content of an exported file');
}

interface OtelDeps {
  readonly journal: Pick<Journal, 'list' | 'load'>;
  readonly hash: Hash;
  readonly pinned: (frames: readonly Frame[]) => Promise<ReplayEnv>;
}

/** A run and its lanes as one trace; the spans of a lane are below the run that opened it. */
const otelTrace = async (deps: OtelDeps, frames: readonly Frame[]): Promise<OtlpTraces> =>
  tracesOf(await spansBelow(deps, frames[0]?.session ?? '', frames));

async function spansBelow(deps: OtelDeps, runId: string, frames: readonly Frame[]): Promise<readonly OtlpSpan[]> {
  const [row] = await deps.journal.list({ session: runId, limit: 1 });
  const { env } = await deps.pinned(frames);
  const spans = [...runSpans(deps.hash, { runId, agent: row?.agent ?? '', events: [...eventsInFrames(frames)] })];
  for (const lane of lanesOpened(env, frames)) {
    const left = await deps.journal.load(lane);
    // A lane that was permitted but never began has no frames.
    if (left.length > 0) spans.push(...(await spansBelow(deps, lane, left)));
  }
  return spans;
}

/**
 * Checks that every checkpoint of a run is stored with the content that its turns produce. Checkpoints from before a
 * fork belong to the parent, which may have been pruned.
 */
async function assertCheckpoints(texts: StoredTexts, runId: string, turns: readonly Turn[]): Promise<void> {
  for (const { checkpointId, address } of turns.flatMap(({ checkpoints }) => checkpoints)) {
    if (!isCheckpointOf(runId, checkpointId)) continue;
    const { row } = await texts.checkpoint(checkpointId);
    if (row.address === address) continue;
    throw new Fault('checkpoint_corrupt', `${checkpointId} is stored with another content than its verdict leads to`);
  }
}
