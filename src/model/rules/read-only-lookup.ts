import { z } from 'zod';
import { Statement } from '../name.ts';
import { Pointer } from '../pointer.ts';
import { Permitted } from './operation.ts';

/** Where a tool looks things up, and what an answer must say of where it comes from. */
export interface ReadOnlyLookupRules {
  /** The argument that names the source; the approved ones are free, the sensitive ones are for a person to see. */
  readonly source: {
    readonly at: string;
    readonly approved: readonly string[];
    readonly sensitive?: readonly string[];
  };
  readonly scope?: Permitted;
  /** In the answer: its source, its scope, and when it was true (ISO 8601 in UTC). */
  readonly metadata: { readonly source: string; readonly scope: string; readonly as_of: string };
  readonly age_max_ms?: number;
}
export const ReadOnlyLookupRules: z.ZodType<ReadOnlyLookupRules> = z.strictObject({
  source: z.strictObject({
    at: Pointer,
    approved: z.array(Statement),
    sensitive: z.array(Statement).exactOptional(),
  }),
  scope: Permitted.exactOptional(),
  metadata: z.strictObject({ source: Pointer, scope: Pointer, as_of: Pointer }),
  age_max_ms: z.int().positive().exactOptional(),
});
