import type { OutputField } from '../../model/evidence/output.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import type { JsonLeaf } from '../../model/json/leaves.ts';
import { pointerKeys } from '../../model/json/pointer.ts';
import type { Problem } from '../../model/json/problem.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { CompileSchema } from './compile-schema.ts';
import { guarded } from './tool-table.ts';

/** The declared output of an agent: its JSON Schema and the compiled check. */
export interface OutputCheck {
  readonly schema: JsonObject;
  readonly check: (value: Json) => readonly Problem[];
}

export const outputCheck = (schema: JsonObject, compile: CompileSchema): OutputCheck => ({
  schema,
  check: guarded(compile(schema), 'output_invalid'),
});

/** A literal of an output, and the field that supports it; null if none does. */
export interface LiteralLeaf extends JsonLeaf {
  readonly field: OutputField | null;
}

/** Everything that the output of a plan is verified against. */
export interface OutputTerms {
  readonly schema: JsonObject;
  /** Whether this plan has to bind an output. */
  readonly isOwed: (plan: Plan) => boolean;
  /** Finds the field that supports each literal of an output. */
  readonly literalsOf: (output: Json) => readonly LiteralLeaf[];
}

/** True if a pointer is at, above or below a place that a pattern names; `*` in the pattern is any key. */
export function meetsPattern(pointer: string, pattern: string): boolean {
  const keys = pointerKeys(pointer);
  const tokens = pointerKeys(pattern);
  const shared = Math.min(keys.length, tokens.length);
  return tokens.slice(0, shared).every((token, index) => token === '*' || token === keys[index]);
}

export const unsupported = (at: string, message: string): Problem => ({
  code: 'output_unsupported',
  path: `/output${at}`,
  message: `output${at === '' ? '' : ` at ${at}`}: ${message}`,
});

export const BIND_IT =
  'bind it to the step that returns it, such as { "$from": "s1", "path": "/total" }, or look it up first';
