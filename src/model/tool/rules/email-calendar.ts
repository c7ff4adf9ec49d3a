import { z } from 'zod';
import { exactObject } from '../../json/exact.ts';
import { Statement } from '../../json/name.ts';
import { Pointer } from '../../json/pointer.ts';
import { Operation } from './operation.ts';

/** The calls that only draft or read, and the checks on a call that contacts people. */
export interface EmailCalendarRules {
  readonly operation: Operation;
  /** All arguments with one or more addresses. A call with an address in any other argument is refused. */
  readonly recipients: readonly string[];
  /** Permitted recipients: full addresses, or domains such as `@example.com`. If absent, every address is permitted. */
  readonly reach?: readonly string[];
  readonly recipients_max?: number;
  /** Arguments that must not be empty. */
  readonly content: readonly string[];
  /** The argument with the send or event time (ISO 8601 in UTC). It must not be in the past. */
  readonly timing?: string;
  /** The argument that states the purpose. */
  readonly intent: string;
}
export const EmailCalendarRules: z.ZodType<EmailCalendarRules> = exactObject({
  operation: Operation,
  recipients: z.array(Pointer).min(1, 'must name the arguments that hold recipients'),
  reach: z.array(Statement).exactOptional(),
  recipients_max: z.int().positive().exactOptional(),
  content: z.array(Pointer).min(1, 'must name the arguments that hold the content'),
  timing: Pointer.exactOptional(),
  intent: Pointer,
});
