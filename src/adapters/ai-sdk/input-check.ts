import type { FlexibleSchema } from 'ai';
import { pointerToken } from '../../model/pointer.ts';
import { printable, reasonOf } from '../../model/printable.ts';
import type { Problem } from '../../model/problem.ts';
import type { ToolChecks } from '../../ports/bound-tool.ts';
import { CHANGES, isSame } from './schema.ts';

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

interface Standard {
  validate(value: unknown): StandardResult | Promise<StandardResult>;
}

type StandardResult = { readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/**
 * What a schema asks for beyond JSON Schema, such as refinements, so that the gateway refuses a call before it is on
 * record as an intent. A check that answers later is made when the tool is called.
 */
export function inputCheck(schema: FlexibleSchema<unknown>): ToolChecks {
  if (!('~standard' in schema)) return {};
  const standard = schema['~standard'] as Standard;
  return {
    input: (args) => {
      try {
        const result = standard.validate(args);
        if (result instanceof Promise) {
          result.catch(() => undefined);
          return [];
        }
        if (result.issues !== undefined) return result.issues.map(toProblem);
        return isSame(result.value, args) ? [] : [problem('', CHANGES)];
      } catch (error) {
        return [problem('', `could not be checked: ${reasonOf(error)}`)];
      }
    },
  };
}

function toProblem({ message, path = [] }: Issue): Problem {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
  return problem(keys.map((key) => pointerToken(String(key))).join(''), printable(message));
}

const problem = (path: string, message: string): Problem => ({ code: 'argument_invalid', path, message });
