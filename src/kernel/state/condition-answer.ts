import type { Json, JsonObject } from '../../model/json/json.ts';

/** The answer of a committed call to a condition of the boundary. */
export interface ConditionAnswer {
  readonly field: string;
  readonly value: Json;
  readonly tool: string;
  /** The arguments of the call, which say what the answer is about. */
  readonly args: JsonObject;
  readonly evidence_id: string;
  /** The tool is trusted, and the answer is its own: not cached, and not recovered by an untrusted probe. */
  readonly trusted: boolean;
}
