import type { ValidateFunction } from 'ajv';
import { Fault, type FaultCode } from '../../model/fault.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Problem } from '../../model/problem.ts';
import type { SchemaCheck } from '../../ports/schema-check.ts';
import { dialects } from './dialect.ts';
import { toProblems } from './to-problems.ts';

export function ajvSchemaCheck(): SchemaCheck {
  const dialectOf = dialects();
  return {
    compile: (schema, code = 'input_invalid') => {
      const { problemOf, compiler } = dialectOf(schema);
      const problem = problemOf(schema);
      if (problem !== null) throw refuse(problem);
      const validate = compile(schema, () => compiler().compile(schema));
      return (value) => check(validate, value, code);
    },
  };
}

function compile(schema: JsonObject, make: () => ValidateFunction): ValidateFunction {
  // An asynchronous schema answers with a promise, which is always truthy: every value would fit.
  if (Object.hasOwn(schema, '$async')) throw refuse('/$async is not supported');
  try {
    return make();
  } catch (cause) {
    throw refuse(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function check(validate: ValidateFunction, value: Json, code: FaultCode): readonly Problem[] {
  try {
    return validate(value) === true ? [] : toProblems(validate.errors ?? [], code);
  } catch {
    // A schema that refers to itself without ever getting deeper into the value runs out of stack.
    return [{ code, path: '', message: 'the schema cannot be applied to this value: it does not come to an end' }];
  }
}

function refuse(why: string, cause?: unknown): Fault {
  return new Fault('input_invalid', `not a JSON Schema that can be checked: ${why}`, { cause });
}
