import { z } from 'zod';
import { FAULT_CODES, type FaultCode } from '../fault/fault-table.ts';
import { exactObject, JsonRecord } from './exact.ts';
import type { JsonObject } from './json.ts';
import { Name } from './name.ts';
import { Pointer } from './pointer.ts';

/**
 * A problem in a document, worded so that its author can fix it. A check returns all problems it finds; a Fault reports
 * only that the call was refused.
 */
export interface Problem {
  readonly code: FaultCode;
  /** JSON Pointer of the place in the document; empty for the entire document. */
  readonly path: string;
  readonly message: string;
  readonly step_id?: string;
  readonly detail?: JsonObject;
}
export const Problem: z.ZodType<Problem> = exactObject({
  code: z.enum(FAULT_CODES),
  path: Pointer,
  // Not `Text`: a message quotes the refused value, which may be refused because of its characters.
  message: z.string(),
  step_id: Name.exactOptional(),
  detail: JsonRecord.exactOptional(),
});
