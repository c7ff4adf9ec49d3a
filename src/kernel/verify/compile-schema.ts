import type { Json, JsonObject } from '../../model/json/json.ts';
import type { Problem } from '../../model/json/problem.ts';

/** Compiles a JSON Schema into a check of values. The host supplies it; the kernel has no validator. */
export type CompileSchema = (schema: JsonObject) => (value: Json) => readonly Problem[];
