import type { FaultCode } from '../../model/fault/fault.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import type { Json } from '../../model/json/json.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { printable, reasonOf } from '../../model/json/printable.ts';
import type { Problem } from '../../model/json/problem.ts';
import { takeJson } from '../../model/json/take-json.ts';
import type { ToolChecks } from '../../ports/bound-tool.ts';
import { isStandardSchema, type StandardIssue, type StandardResult, type StandardSchema } from './standard-schema.ts';

/** The checks of a schema library beyond JSON Schema, such as refinements. Plain JSON Schema has none. */
export function schemaChecks(input: unknown, output: unknown): ToolChecks {
  return {
    ...(isStandardSchema(input) ? { input: (args) => unchanged(input, args) } : {}),
    ...(isStandardSchema(output) ? { output: (result) => issuesOf(output, result, 'tool_result_invalid') } : {}),
  };
}

/** Checks arguments and refuses them if the schema would change them: they are frozen and may already be approved. */
function unchanged(schema: StandardSchema, args: Json): readonly Problem[] {
  const result = validated(schema, args);
  if (result.issues !== undefined) return result.issues.map((issue) => toProblem(issue, 'argument_invalid'));
  try {
    if (canonicalize(takeJson(result.value)) === canonicalize(args)) return [];
  } catch {
    // The schema's output is not JSON, so it differs from the arguments.
  }
  const message = "the tool's schema would change these arguments: write them as it would leave them";
  return [{ code: 'argument_invalid', path: '', message }];
}

function issuesOf(schema: StandardSchema, value: Json, code: FaultCode): readonly Problem[] {
  return (validated(schema, value).issues ?? []).map((issue) => toProblem(issue, code));
}

/** Runs a validation. A throw or a promise counts as a failure. */
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
