import { z } from 'zod';
import { exactObject } from '../../json/exact.ts';
import { Name, Statement } from '../../json/name.ts';
import { Pointer } from '../../json/pointer.ts';
import { Operation, Permitted } from './operation.ts';

/** The sources a lookup tool may use, and the provenance its answer must state. */
export interface ReadOnlyLookupRules {
  /** The argument that names the source. Approved sources are free; sensitive ones need approval. */
  readonly source: {
    readonly at: string;
    readonly approved: readonly string[];
    readonly sensitive?: readonly string[];
  };
  readonly scope?: Permitted;
  /** Pointers into the answer: its source, its scope, and the time it was valid (ISO 8601 in UTC). */
  readonly metadata: { readonly source: string; readonly scope: string; readonly as_of: string };
  readonly age_max_ms?: number;
}
export const ReadOnlyLookupRules: z.ZodType<ReadOnlyLookupRules> = exactObject({
  source: z.strictObject({
    at: Pointer,
    approved: z.array(Statement),
    sensitive: z.array(Statement).exactOptional(),
  }),
  scope: Permitted.exactOptional(),
  metadata: z.strictObject({ source: Pointer, scope: Pointer, as_of: Pointer }),
  age_max_ms: z.int().positive().exactOptional(),
});

/** The calls that only diagnose, and the information an operator needs about every other call. */
export interface InfrastructureRules {
  readonly operation: Operation;
  readonly target: Permitted;
  /** Arguments that state blast radius and rollback, for a tool whose `hazards` do not. */
  readonly blast_radius?: string;
  readonly rollback?: string;
}
export const InfrastructureRules: z.ZodType<InfrastructureRules> = exactObject({
  operation: Operation,
  target: Permitted,
  blast_radius: Pointer.exactOptional(),
  rollback: Pointer.exactOptional(),
});

/** The endpoints that only read. A call to any other endpoint needs approval. */
export interface LiveApiRules {
  readonly operation: Operation;
}
export const LiveApiRules: z.ZodType<LiveApiRules> = exactObject({ operation: Operation });

/** The arguments of a review request: reason, queue, severity and evidence. */
export interface ReviewQueueRules {
  readonly reason: string;
  readonly queue: Permitted;
  readonly severity: Permitted;
  readonly evidence: string;
}
export const ReviewQueueRules: z.ZodType<ReviewQueueRules> = exactObject({
  reason: Pointer,
  queue: Permitted,
  severity: Permitted,
  evidence: Pointer,
});

/** The corpora each tenant may search, and the fields of every document found. */
export interface VectorRetrievalRules {
  readonly corpus: string;
  /** Per tenant, the corpora it may search. An unlisted tenant may search none. */
  readonly corpora: Readonly<Record<string, readonly string[]>>;
  /** Pointer to the list of documents in the answer; `document` holds the pointers into each of them. */
  readonly documents: string;
  readonly document: {
    readonly id: string;
    readonly access_policy: string;
    readonly timestamp: string;
    readonly citation: string;
  };
}
export const VectorRetrievalRules: z.ZodType<VectorRetrievalRules> = exactObject({
  corpus: Pointer,
  corpora: z.record(Name, z.array(Statement)),
  documents: Pointer,
  document: z.strictObject({ id: Pointer, access_policy: Pointer, timestamp: Pointer, citation: Pointer }),
});
