import { z } from 'zod';
import { exactObject } from '../../json/exact.ts';
import { Statement } from '../../json/name.ts';
import { Pointer } from '../../json/pointer.ts';
import { Permitted } from './operation.ts';

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
