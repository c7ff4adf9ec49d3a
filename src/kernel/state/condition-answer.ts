import type { Json, JsonObject } from '../../model/json/json.ts';

/** The answer of a committed call to a condition of the boundary. */
export interface ConditionAnswer {
  readonly field: string;
  readonly value: Json;
  readonly tool: string;
  /** The arguments of the call, which say what the answer is about. */
  readonly args: JsonObject;
  readonly evidence_id: string;
  /** The answer is the tool's own: not cached, and not recovered by an untrusted probe. In earlier runs the tool is trusted too. */
  readonly trusted: boolean;
  /** The declared subject: every call, or by argument name of the governed call the value of a field of the result. */
  readonly about?: 'every_call' | JsonObject;
  /** The arguments of the trusted calls that supplied arguments of this one. */
  readonly sources?: readonly JsonObject[];
}
