import { z } from 'zod';
import { exactObject, JsonRecord } from '../json/exact.ts';
import type { JsonObject } from '../json/json.ts';
import { type Instant, Name } from '../json/name.ts';

/** A call that was sent and may have had its effect, as every later packet of the run shows it. */
export interface CallInDoubt {
  /** The tool that has the effect: the inner tool of a dispatcher. */
  readonly tool: string;
  readonly idempotency_key: string;
  /** When the call was sent. */
  readonly since: Instant;
  /** The instant after which the call can no longer be in flight. */
  readonly settled_by: Instant;
  /** The call as this run sent it; absent for a call of another run of the same family. */
  readonly sent?: SentCall;
}

export interface SentCall {
  readonly call_id: string;
  readonly step_id: string;
  readonly parameters: JsonObject;
}
const SentCall: z.ZodType<SentCall> = exactObject({ call_id: Name, step_id: Name, parameters: JsonRecord });

export const CallInDoubt: z.ZodType<CallInDoubt> = exactObject({
  tool: Name,
  idempotency_key: Name,
  since: z.int(),
  settled_by: z.int(),
  sent: SentCall.exactOptional(),
});
