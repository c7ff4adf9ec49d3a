import { z } from 'zod';
import { exactObject } from '../../json/exact.ts';
import { Name, Statement } from '../../json/name.ts';
import { Pointer } from '../../json/pointer.ts';

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
