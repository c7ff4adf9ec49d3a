import type { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import type { JsonObject } from '../json/json.ts';
import { JsonRecord } from '../json/json-value.ts';
import { Name } from '../json/name.ts';
import { TerminalCode } from './terminal-code.ts';

/** A condition that ends a run. Several may hold at once; the precedence selects one. */
export interface Stop {
  readonly code: TerminalCode;
  readonly reason: string;
  readonly detail?: JsonObject;
}
export const Stop: z.ZodType<Stop> = exactObject({
  code: TerminalCode,
  reason: Name,
  detail: JsonRecord.exactOptional(),
});
