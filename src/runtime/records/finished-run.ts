import type { DecisionRecord } from '../../model/critic/decision-record.ts';
import type { VerdictEnvelope } from '../../model/critic/verdict.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Address, Hash } from '../../model/json/hash.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { type Artifact, makeArtifact } from '../../model/record/artifact.ts';
import type { RunTrace } from '../../model/record/trace.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { FinishedRun } from '../../record/handovers.ts';
import { plansOf, transcriptsOf } from '../../record/transcripts.ts';
import type { ReplayEnv } from '../../replay/replay.ts';
import { standingOf } from '../../replay/walk-run.ts';

type Blobs = Pick<Journal, 'blob'>;

export interface Finishing {
  readonly journal: Blobs;
  readonly hash: Hash;
  readonly trace: RunTrace;
  readonly frames: readonly Frame[];
  readonly pinned: ReplayEnv;
}

/** Collects everything that is stored of a run that has ended. */
export async function finishedRun(
  { journal, hash, trace, frames, pinned: { env } }: Finishing,
  bundle: Uint8Array,
): Promise<FinishedRun> {
  const { moves } = standingOf(env, frames);
  const packets: Record<string, JsonObject> = {};
  for (const event of frames.flatMap(frameEvents)) {
    if (event.type !== 'gate_opened') continue;
    packets[event.packet_hash] = JSON.parse(await journal.blob(event.packet_hash as Address)) as JsonObject;
  }
  return {
    trace,
    frames,
    record: await recordOf(journal, frames),
    tools: env.tools.specs,
    graph: env.graph.spec as unknown as JsonObject,
    path: [env.graph.spec.entry, ...moves.map(({ to }) => to)],
    packets,
    bundle,
    hash,
  };
}

/** The artifacts of a run that are kept separately, as far as they exist. */
export async function artifactsOf(
  { journal, hash, trace, frames }: Finishing,
  verdict: VerdictEnvelope | null,
): Promise<readonly Artifact[]> {
  const events = frames.flatMap(frameEvents);
  const { run_id } = trace;
  const plan = plansOf(events).at(-1);
  const proposals = events.flatMap((event) => (event.type === 'memory_proposed' ? event.proposals : []));
  return [
    ...(plan === undefined ? [] : [makeArtifact('plan', run_id, plan, hash)]),
    makeArtifact('transcripts', run_id, transcriptsOf(run_id, events), hash),
    ...(verdict === null ? [] : [makeArtifact('verdict', run_id, verdict, hash)]),
    makeArtifact('decision_record', run_id, await recordOf(journal, frames), hash),
    makeArtifact('run_trace', run_id, trace, hash),
    makeArtifact('memory_proposals', run_id, proposals, hash),
  ];
}

async function recordOf(journal: Blobs, frames: readonly Frame[]): Promise<DecisionRecord> {
  const ended = frames.flatMap(frameEvents).findLast((event) => event.type === 'run_terminated');
  if (ended === undefined) throw new Fault('illegal_transition', 'the run has not ended');
  return JSON.parse(await journal.blob(ended.record as Address)) as DecisionRecord;
}
