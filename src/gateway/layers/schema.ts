import type { JsonObject } from '../../model/json/json.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { type Layer, PASS, refusal } from './layer.ts';

/** Checks the arguments against the tool's schema, and lists missing ones that the user can provide. */
export const schemaLayer: Layer = ({ spec, args, check }) => {
  const problems = check(args);
  if (problems.length === 0) return PASS;
  const forbidden = problems.find(({ code }) => code === 'argument_not_allowed');
  if (forbidden !== undefined) return refusal('permission', forbidden.code, forbidden.message);
  const message = problems.map((problem) => `${problem.path} ${problem.message}`.trim()).join('; ');
  return { ...refusal('schema', 'argument_invalid', message), missing: missingArguments(spec, args) };
};

function missingArguments({ input_schema }: ToolSpec, args: JsonObject): readonly string[] {
  const required = Array.isArray(input_schema['required']) ? input_schema['required'] : [];
  return required.filter((name): name is string => typeof name === 'string' && !Object.hasOwn(args, name));
}
