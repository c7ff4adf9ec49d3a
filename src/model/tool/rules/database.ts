import { z } from 'zod';
import { exact } from '../../json/exact.ts';
import { Statement } from '../../json/name.ts';
import { Pointer } from '../../json/pointer.ts';

export const STATEMENT_VERBS = ['select', 'insert', 'update', 'delete'] as const;
export type StatementVerb = (typeof STATEMENT_VERBS)[number];

/** The statements a database tool may send, and the fields its answer to a write must have. */
export interface DatabaseRules {
  readonly statement: string;
  /** The permitted kinds of statement. All others are refused, even with approval. */
  readonly allow: readonly StatementVerb[];
  /** The permitted tables: `orders`, `shop.orders` or `shop.*`. Statements must quote capital letters. */
  readonly tables: readonly string[];
  /** Functions permitted besides `count`, `coalesce` and the like; with the schema if statements name it. */
  readonly functions?: readonly string[];
  /** Writes that need no approval: the exact statement, with `?` or `$1` for every variable value. */
  readonly preauthorised?: readonly string[];
  /** The argument that opens the connection read-only. It must be true for a read. */
  readonly read_only?: string;
  /** The argument used by row-level security. It must be the tenant of the run. */
  readonly tenant?: string;
  /** Pointers into the answer to a write: its transaction id in the log, and the number of affected rows. */
  readonly log?: { readonly transaction: string; readonly rows: string; readonly rows_max?: number };
}
export const DatabaseRules: z.ZodType<DatabaseRules> = exact(
  z
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
      message:
        'is missing: say where the answer names its transaction and the rows it touched, because the tool writes',
      path: ['log'],
    }),
);
