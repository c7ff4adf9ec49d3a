import { type Artifact, makeArtifact } from '../../model/artifact.ts';
import type { DecisionRecord } from '../../model/decision.ts';
import type { RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Frame } from '../../model/frame.ts';
import type { Address, Hash } from '../../model/hash.ts';
import type { JsonObject } from '../../model/json.ts';
import type { RunTrace } from '../../model/trace.ts';
import type { VerdictEnvelope } from '../../model/verdict.ts';
import type { Journal } from '../../ports/journal.ts';
import type { FinishedRun } from '../../record/handovers/finished-run.ts';
import { plansOf, transcriptsOf } from '../../record/transcripts.ts';
import type { ReplayEnv } from '../../replay/replay.ts';
import { standingOf } from '../../replay/standing.ts';

type Blobs = Pick<Journal, 'blob'>;

export interface Finishing {
  readonly journal: Blobs;
  readonly hash: Hash;
  readonly trace: RunTrace;
  readonly frames: readonly Frame[];
  readonly pinned: ReplayEnv;
}

/** Everything that is left of a run that has ended. */
export async function finishedRun(
  { journal, hash, trace, frames, pinned: { env } }: Finishing,
  bundle: Uint8Array,
): Promise<FinishedRun> {
  const { moves } = standingOf(env, frames);
  const packets: Record<string, JsonObject> = {};
  for (const event of eventsOf(frames)) {
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

/** What of a run is kept apart from the rest, as far as there is any of it. */
export async function artifactsOf(
  { journal, hash, trace, frames }: Finishing,
  verdict: VerdictEnvelope | null,
): Promise<readonly Artifact[]> {
  const events = eventsOf(frames);
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

const eventsOf = (frames: readonly Frame[]): readonly RunEvent[] =>
  frames.flatMap(({ events }) => JSON.parse(events) as readonly RunEvent[]);

async function recordOf(journal: Blobs, frames: readonly Frame[]): Promise<DecisionRecord> {
  const ended = eventsOf(frames).findLast((event) => event.type === 'run_terminated');
  if (ended === undefined) throw new Fault('illegal_transition', 'the run has not ended');
  return JSON.parse(await journal.blob(ended.record as Address)) as DecisionRecord;
}
