import { z } from 'zod';
import { Name, Statement } from '../name.ts';
import { Pointer } from '../pointer.ts';

/** Which corpora are there for whom, and what every document that is found must bring with it. */
export interface VectorRetrievalRules {
  readonly corpus: string;
  /** Per tenant, the corpora it may search. A tenant that is not listed may search none. */
  readonly corpora: Readonly<Record<string, readonly string[]>>;
  /** The list of documents in the answer, and, in each of them, four things. */
  readonly documents: string;
  readonly document: {
    readonly id: string;
    readonly access_policy: string;
    readonly timestamp: string;
    readonly citation: string;
  };
}
export const VectorRetrievalRules: z.ZodType<VectorRetrievalRules> = z.strictObject({
  corpus: Pointer,
  corpora: z.record(Name, z.array(Statement)),
  documents: Pointer,
  document: z.strictObject({ id: Pointer, access_policy: Pointer, timestamp: Pointer, citation: Pointer }),
});
