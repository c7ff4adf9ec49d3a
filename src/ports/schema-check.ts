import type { FaultCode } from '../model/fault/fault-table.ts';
import type { Json, JsonObject } from '../model/json/json.ts';
import type { Problem } from '../model/json/problem.ts';

/** Checks a value against one JSON Schema. Returns all problems; an empty list means that the value is valid. */
export type CheckValue = (value: Json) => readonly Problem[];

/** Compiles the JSON Schema of a tool or a user into a check. Checks never change the value. */
export interface SchemaCheck {
  /**
   * `code` is the code of the problems, by default `input_invalid`. Throws `input_invalid` if `schema` is not a JSON
   * Schema or is not supported.
   */
  compile(schema: JsonObject, code?: FaultCode): CheckValue;
}
