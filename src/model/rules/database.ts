import { z } from 'zod';
import { Statement } from '../name.ts';
import { Pointer } from '../pointer.ts';

export const STATEMENT_VERBS = ['select', 'insert', 'update', 'delete'] as const;
export type StatementVerb = (typeof STATEMENT_VERBS)[number];

/** Which statements a tool may send, and what its answer has to say of a write. */
export interface DatabaseRules {
  readonly statement: string;
  /** The kinds of statement there are for this tool. Every other is refused, approved or not. */
  readonly allow: readonly StatementVerb[];
  /** Tables it may name, as in `orders`, `shop.orders` or `shop.*`. One with capital letters has to be quoted by the call. */
  readonly tables: readonly string[];
  /** Functions it may call beyond the plain ones, such as `count` and `coalesce`; with a schema, where calls name it. */
  readonly functions?: readonly string[];
  /** Writes that need no person: the statement word for word, with `?` or `$1` for every value that may differ. */
  readonly preauthorised?: readonly string[];
  /** The argument that opens the connection read-only. It has to be true for a read. */
  readonly read_only?: string;
  /** The argument that row security goes by. It has to be the tenant of the run. */
  readonly tenant?: string;
  /** Where the answer to a write names its transaction in the log, and how many rows it touched. */
  readonly log?: { readonly transaction: string; readonly rows: string; readonly rows_max?: number };
}
export const DatabaseRules: z.ZodType<DatabaseRules> = z
  .strictObject({
    statement: Pointer,
    allow: z.array(z.enum(STATEMENT_VERBS)).min(1, 'must list the kinds of statement that are permitted'),
    tables: z.array(Statement).min(1, 'must list the tables that are permitted'),
    functions: z.array(Statement).exactOptional(),
    preauthorised: z.array(Statement).exactOptional(),
    read_only: Pointer.exactOptional(),
    tenant: Pointer.exactOptional(),
    log: z
      .strictObject({ transaction: Pointer, rows: Pointer, rows_max: z.int().nonnegative().exactOptional() })
      .exactOptional(),
  })
  .refine(({ allow, read_only }) => !allow.includes('select') || read_only !== undefined, {
    message: 'is missing: name the argument that opens the connection read-only, because the tool reads',
    path: ['read_only'],
  })
  .refine(({ allow, log }) => allow.every((verb) => verb === 'select') || log !== undefined, {
    message: 'is missing: say where the answer names its transaction and the rows it touched, because the tool writes',
    path: ['log'],
  });
