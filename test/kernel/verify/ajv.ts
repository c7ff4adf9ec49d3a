import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import { pointerToken } from '../../../src/model/json/pointer.ts';
import type { Problem } from '../../../src/model/json/problem.ts';

/**
 * Lenient about unknown keywords, as for schemas from outside; it compiles a schema without validating the schema
 * itself.
 */
const referee = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, logger: false });

/** Validates with Ajv. For rare schemas Ajv's compiled code throws a TypeError; such a case has no reference result. */
export function accepts(schema: boolean | JsonObject): (value: Json) => boolean {
  const check = referee.compile(schema);
  if (typeof schema === 'object') referee.removeSchema(schema);
  return (value) => {
    try {
      return check(value) as boolean;
    } catch (error) {
      fc.pre(!(error instanceof TypeError));
      throw error;
    }
  };
}

const reporter = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false });

/** The schema compiler for `toolTable`, based on Ajv. */
export function compileWithAjv(schema: JsonObject): (value: Json) => readonly Problem[] {
  const check = reporter.compile(schema);
  return (value) => {
    if (check(value)) return [];
    return (check.errors ?? []).map(({ instancePath, message, params }) => {
      const extra = 'additionalProperty' in params ? pointerToken(String(params['additionalProperty'])) : '';
      return { code: 'input_invalid', path: instancePath + extra, message: message ?? 'does not fit' } as const;
    });
  };
}
