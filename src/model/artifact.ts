import { z } from 'zod';
import { ContentAddress } from './content-address.ts';
import { DecisionRecord } from './decision.ts';
import { Fault } from './fault.ts';
import { type Address, address, type Hash } from './hash.ts';
import type { Json } from './json.ts';
import { JsonValue } from './json-schema.ts';
import { MemoryProposal } from './memory.ts';
import { Name } from './name.ts';
import { parse } from './parse.ts';
import { Plan } from './plan.ts';
import { RunTrace } from './trace.ts';
import { Transcript } from './transcript.ts';
import { VerdictEnvelope } from './verdict.ts';

/** What of a run is kept apart from the rest, each to be read by itself. */
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

/** One of them, under the address of what it says. It names no other, so each can be read where the others are gone. */
export interface Artifact {
  readonly artifact_id: Address;
  readonly kind: ArtifactKind;
  readonly run_id: string;
  readonly body: Json;
}
const Artifact: z.ZodType<Artifact> = z.strictObject({
  artifact_id: ContentAddress,
  kind: z.enum(ARTIFACT_KINDS),
  run_id: Name,
  body: JsonValue,
});

export function makeArtifact(kind: ArtifactKind, run_id: string, given: unknown, hash: Hash): Artifact {
  const body = JSON.parse(JSON.stringify(given)) as Json;
  return { artifact_id: address(hash, { kind, run_id, body }), kind, run_id, body };
}

/** Holds somebody's text to what an artifact is: its shape, the schema of its kind, and its own address. */
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
