import type { ErrorObject } from 'ajv';
import type { FaultCode } from '../../model/fault.ts';
import { pointerToken } from '../../model/pointer.ts';
import type { Problem } from '../../model/problem.ts';

/** Enough to repair a value by; a hostile value could otherwise make a list longer than itself. */
const PROBLEMS_MAX = 100;

/** Every problem with the place it is at, an absent or surplus property at its own place. */
export function toProblems(errors: readonly ErrorObject[], code: FaultCode): readonly Problem[] {
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
