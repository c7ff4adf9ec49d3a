import { z } from 'zod';
import { Statement } from '../name.ts';
import { Pointer } from '../pointer.ts';
import { Operation } from './operation.ts';

/** Which calls only draft or look, and what must be right about one that reaches people. */
export interface EmailCalendarRules {
  readonly operation: Operation;
  /** Arguments with addresses, one or a list: all that there are. A call that names somebody elsewhere is refused. */
  readonly recipients: readonly string[];
  /** Whom it may reach: whole addresses, or domains as in `@example.com`. Anybody, where it is absent. */
  readonly reach?: readonly string[];
  readonly recipients_max?: number;
  /** Arguments that must say something. */
  readonly content: readonly string[];
  /** The argument with the moment it is sent or takes place (ISO 8601 in UTC); never in the past. */
  readonly timing?: string;
  /** The argument that says what it is for. */
  readonly intent: string;
}
export const EmailCalendarRules: z.ZodType<EmailCalendarRules> = z.strictObject({
  operation: Operation,
  recipients: z.array(Pointer).min(1, 'must name the arguments that hold recipients'),
  reach: z.array(Statement).exactOptional(),
  recipients_max: z.int().positive().exactOptional(),
  content: z.array(Pointer).min(1, 'must name the arguments that hold the content'),
  timing: Pointer.exactOptional(),
  intent: Pointer,
});
