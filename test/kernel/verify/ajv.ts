import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { pointerToken } from '../../../src/model/pointer.ts';
import type { Problem } from '../../../src/model/problem.ts';

/** Lenient about unknown keywords, as schemas from outside are; a schema is compiled without being judged itself. */
const referee = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, logger: false });

/** What a real validator says. On rare schemas its own compiled code throws a TypeError: such a drawing has no referee. */
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

/** What `toolTable` is given, over a real validator. */
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
