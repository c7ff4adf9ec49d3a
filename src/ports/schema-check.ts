import type { FaultCode } from '../model/fault-table.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Problem } from '../model/problem.ts';

/** Checks a value against one JSON Schema. Returns what is wrong, all at once; an empty list means it fits. */
export type CheckValue = (value: Json) => readonly Problem[];

/** Turns JSON Schema from a tool or a user into a check. Never changes the value it looks at. */
export interface SchemaCheck {
  /**
   * `code` is what its problems are called, `input_invalid` when absent. Throws the Fault `input_invalid` when
   * `schema` is not a JSON Schema that can be checked here.
   */
  compile(schema: JsonObject, code?: FaultCode): CheckValue;
}
