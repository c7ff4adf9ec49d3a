import { z } from 'zod';
import { DecisionRecord } from '../critic/decision-record.ts';
import { VerdictEnvelope } from '../critic/verdict.ts';
import { MemoryProposal } from '../evidence/memory.ts';
import { Fault } from '../fault/fault.ts';
import { exactObject, JsonValue } from '../json/exact.ts';
import { type Address, address, ContentAddress, type Hash } from '../json/hash.ts';
import type { Json } from '../json/json.ts';
import { Name } from '../json/name.ts';
import { parse } from '../json/parse.ts';
import { Plan } from '../plan/plan.ts';
import { RunTrace } from './trace.ts';
import { Transcript } from './transcript.ts';

/** The kinds of documents stored separately for a run, each readable on its own. */
export const ARTIFACT_KINDS = [
  'plan',
  'transcripts',
  'verdict',
  'decision_record',
  'run_trace',
  'memory_proposals',
] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

const BODIES: Readonly<Record<ArtifactKind, z.ZodType<unknown>>> = {
  plan: Plan,
  transcripts: z.array(Transcript),
  verdict: VerdictEnvelope,
  decision_record: DecisionRecord,
  run_trace: RunTrace,
  memory_proposals: z.array(MemoryProposal),
};

/** A stored document under its content address. It refers to no other artifact, so it is readable alone. */
export interface Artifact {
  readonly artifact_id: Address;
  readonly kind: ArtifactKind;
  readonly run_id: string;
  readonly body: Json;
}
const Artifact: z.ZodType<Artifact> = exactObject({
  artifact_id: ContentAddress,
  kind: z.enum(ARTIFACT_KINDS),
  run_id: Name,
  body: JsonValue,
});

export function makeArtifact(kind: ArtifactKind, run_id: string, content: unknown, hash: Hash): Artifact {
  const body = JSON.parse(JSON.stringify(content)) as Json;
  return { artifact_id: address(hash, { kind, run_id, body }), kind, run_id, body };
}

/** Parses a stored artifact and verifies its shape, the schema of its kind, and its address. */
export function readArtifact(text: string, hash: Hash): Artifact {
  const artifact = parse(Artifact, jsonOf(text), 'store_corrupt');
  const { artifact_id, kind, run_id, body } = artifact;
  if (address(hash, { kind, run_id, body }) !== artifact_id) {
    throw new Fault('store_corrupt', `what is kept as ${artifact_id} was altered`);
  }
  parse(BODIES[kind], body, 'store_corrupt');
  return artifact;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Fault('store_corrupt', 'an artifact is JSON', { cause: error });
  }
}
