import type { ErrorObject, ValidateFunction } from 'ajv';
import { Fault, type FaultCode } from '../../model/fault/fault.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import type { Problem } from '../../model/json/problem.ts';
import type { SchemaCheck } from '../../ports/schema-check.ts';
import { compileBounded, runBounded } from './bounded-check.ts';
import { dialects } from './dialects.ts';

/** The number of compiled schemas that are kept, the most recently used ones. */
const KEPT_MAX = 1_000;

/**
 * A check that compiles each schema once, because every replay of a run uses the schemas of its tools again. It compiles
 * the canonical text, as journals store it: problems are reported in the order of the keys.
 */
export function ajvSchemaCheck(): SchemaCheck {
  const dialectOf = dialects();
  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = (schema: JsonObject): ValidateFunction => {
    const { problemOf, compiler } = dialectOf(schema);
    const problem = problemOf(schema);
    if (problem !== null) throw refuse(problem);
    return compile(schema, () => compiler().compile(schema));
  };
  return {
    compile: (schema, code = 'input_invalid') => {
      const text = canonicalize(schema);
      const validate = compiled.get(text) ?? validatorOf(JSON.parse(text) as JsonObject);
      compiled.delete(text);
      compiled.set(text, validate);
      if (compiled.size > KEPT_MAX) compiled.delete(compiled.keys().next().value ?? '');
      return (value) => check(validate, value, code);
    },
  };
}

function compile(schema: JsonObject, make: () => ValidateFunction): ValidateFunction {
  // An asynchronous schema returns a promise, which is always truthy, so every value would pass.
  if (Object.hasOwn(schema, '$async')) throw refuse('/$async is not supported');
  try {
    return compileBounded(make);
  } catch (cause) {
    throw refuse(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function check(validate: ValidateFunction, value: Json, code: FaultCode): readonly Problem[] {
  try {
    return runBounded(validate, value) ? [] : toProblems(validate.errors ?? [], code);
  } catch {
    // A schema that refers to itself without descending into the value overflows the stack or takes too many steps.
    return [{ code, path: '', message: 'the schema cannot be applied to this value: it does not come to an end' }];
  }
}

function refuse(why: string, cause?: unknown): Fault {
  return new Fault('input_invalid', `not a JSON Schema that can be checked: ${why}`, { cause });
}

/** The maximum number of reported problems. A hostile value could otherwise produce a list longer than itself. */
const PROBLEMS_MAX = 100;

/** Converts errors to problems with a path. A missing or unknown property is reported at its own path. */
function toProblems(errors: readonly ErrorObject[], code: FaultCode): readonly Problem[] {
  return errors.slice(0, PROBLEMS_MAX).map((error) => {
    const property = propertyOf(error);
    const path = property === null ? error.instancePath : `${error.instancePath}${pointerToken(property)}`;
    return { code, path, message: messageOf(error), detail: { keyword: error.keyword } };
  });
}

function propertyOf({ params }: ErrorObject): string | null {
  for (const name of ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName']) {
    const property: unknown = Object.hasOwn(params, name) ? params[name] : undefined;
    if (typeof property === 'string') return property;
  }
  return null;
}

function messageOf({ keyword, params, message = 'does not fit' }: ErrorObject): string {
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return 'is missing';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a known property';
    case 'enum':
      return `must be one of ${JSON.stringify(params['allowedValues'])}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    default:
      return message;
  }
}
