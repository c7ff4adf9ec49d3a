import { canonicalize } from '../../model/canonical.ts';
import type { FaultCode } from '../../model/fault.ts';
import type { Json } from '../../model/json.ts';
import { pointerToken } from '../../model/pointer.ts';
import { printable, reasonOf } from '../../model/printable.ts';
import type { Problem } from '../../model/problem.ts';
import { takeJson } from '../../model/take-json.ts';
import type { ToolChecks } from '../../ports/bound-tool.ts';
import { isStandardSchema, type StandardIssue, type StandardResult, type StandardSchema } from './standard-schema.ts';

/** What the library checks beyond JSON Schema, such as refinements. Plain JSON Schema has nothing beyond itself. */
export function schemaChecks(input: unknown, output: unknown): ToolChecks {
  return {
    ...(isStandardSchema(input) ? { input: (args) => unchanged(input, args) } : {}),
    ...(isStandardSchema(output) ? { output: (result) => issuesOf(output, result, 'tool_result_invalid') } : {}),
  };
}

/** The arguments are frozen by now: a schema that would still change them is refused rather than overruled. */
function unchanged(schema: StandardSchema, args: Json): readonly Problem[] {
  const result = validated(schema, args);
  if (result.issues !== undefined) return result.issues.map((issue) => toProblem(issue, 'argument_invalid'));
  try {
    if (canonicalize(takeJson(result.value)) === canonicalize(args)) return [];
  } catch {
    // What the schema made of it is not even JSON any more, and so not what was approved.
  }
  const message = "the tool's schema would change these arguments: write them as it would leave them";
  return [{ code: 'argument_invalid', path: '', message }];
}

function issuesOf(schema: StandardSchema, value: Json, code: FaultCode): readonly Problem[] {
  return (validated(schema, value).issues ?? []).map((issue) => toProblem(issue, code));
}

/** A check that breaks, or answers later, has not said yes. */
function validated(schema: StandardSchema, value: Json): StandardResult {
  try {
    const result = schema['~standard'].validate(value);
    if (!(result instanceof Promise)) return result;
    result.catch(() => undefined);
    return { issues: [{ message: 'a check that answers later cannot be waited for here: make it in execute()' }] };
  } catch (error) {
    return { issues: [{ message: `could not be checked: ${reasonOf(error)}` }] };
  }
}

function toProblem({ message, path = [] }: StandardIssue, code: FaultCode): Problem {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
  return { code, path: keys.map((key) => pointerToken(String(key))).join(''), message: printable(message) };
}
