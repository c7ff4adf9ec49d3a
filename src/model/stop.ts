import { z } from 'zod';
import type { JsonObject } from './json.ts';
import { JsonRecord } from './json-schema.ts';
import { Name } from './name.ts';
import { TerminalCode } from './terminal-code.ts';

/** A condition under which a run must end. Several may hold at once; precedence picks the one that counts. */
export interface Stop {
  readonly code: TerminalCode;
  readonly reason: string;
  readonly detail?: JsonObject;
}
export const Stop: z.ZodType<Stop> = z.strictObject({
  code: TerminalCode,
  reason: Name,
  detail: JsonRecord.exactOptional(),
});
