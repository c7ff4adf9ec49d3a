import { z } from 'zod';
import { FAULT_CODES, type FaultCode } from './fault-table.ts';
import type { JsonObject } from './json.ts';
import { JsonRecord } from './json-schema.ts';
import { Name } from './name.ts';
import { Pointer } from './pointer.ts';

/**
 * Something wrong in a document, said so that whoever wrote it can repair it. A check returns all
 * the problems it finds; a Fault says only that the call as a whole was refused.
 */
export interface Problem {
  readonly code: FaultCode;
  /** JSON Pointer of the place in the document; empty for the document as a whole. */
  readonly path: string;
  readonly message: string;
  readonly step_id?: string;
  readonly detail?: JsonObject;
}
export const Problem: z.ZodType<Problem> = z.strictObject({
  code: z.enum(FAULT_CODES),
  path: Pointer,
  // Not `Text`: a message quotes what was refused, which may be refused for its very characters.
  message: z.string(),
  step_id: Name.exactOptional(),
  detail: JsonRecord.exactOptional(),
});
