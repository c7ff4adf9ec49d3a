import { exampleProblems } from '../../model/example-problems.ts';
import { Fault } from '../../model/fault.ts';
import { deepFreeze } from '../../model/freeze.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { parseNamed } from '../../model/parse.ts';
import { printable } from '../../model/printable.ts';
import { assertRules } from '../../model/rules/category-rules.ts';
import { ToolSpec } from '../../model/tool.ts';
import type { BoundTool, ToolContext } from '../../ports/bound-tool.ts';
import { type Converted, inputJsonSchema, outputJsonSchema } from './json-schemas.ts';
import type { AnyToolOptions, Tool, ToolOptions } from './options.ts';
import { companionsOf, probingOf } from './probing.ts';
import { declarationFaults, isApprovalMode, wrong } from './problems.ts';
import { schemaChecks } from './schema-checks.ts';
import type { Received, Returned, ToolSchema } from './standard-schema.ts';
import { toSpec } from './to-spec.ts';

/**
 * Declares a tool: what it is called, what it takes and gives, what a call may do to the world, and the code that does
 * it. Everything that is wrong with the declaration is said at once.
 */
export function tool<In extends ToolSchema, Out extends ToolSchema, Probe extends BoundTool = BoundTool>(
  options: ToolOptions<In, Out, Probe>,
): Tool<Received<In>, Returned<Out>> {
  // From here on nobody is believed: the declaration may come from code that no compiler has seen.
  return declared(options as unknown as AnyToolOptions) as Tool<Received<In>, Returned<Out>>;
}

function declared(options: AnyToolOptions): BoundTool {
  if (typeof options !== 'object' || options === null) {
    throw new Fault('input_invalid', 'a tool is declared as tool({ name, description, approvalMode, … })');
  }
  const input = inputJsonSchema(options.inputSchema);
  const output = outputJsonSchema(options.outputSchema);
  refuse(options.name, [
    ...declarationFaults(options),
    ...schemaFaults('inputSchema', options.inputSchema, input),
    ...schemaFaults('outputSchema', options.outputSchema, output),
    ...exampleFaults(options),
  ]);
  const { approvalMode, effects, inputSchema, outputSchema, execute } = options;
  // Both were checked above; the compiler cannot know that refuse() does not come back.
  if (!input.ok || !output.ok || !isApprovalMode(approvalMode)) throw new Fault('internal', 'an unchecked tool');
  const spec = toSpec(options, approvalMode, { input: input.schema, output: output.schema });
  const name = `tool ${printable(String(options.name))}`;
  const parsed = deepFreeze(parseNamed(name, ToolSpec, spec, 'input_invalid'));
  assertRules(parsed);
  return Object.freeze({
    spec: parsed,
    execute: (args: JsonObject, context: ToolContext) => execute(args, context) as Promise<Json | undefined>,
    checks: schemaChecks(inputSchema, outputSchema),
    ...(effects === undefined ? {} : { probing: probingOf(effects), companions: companionsOf(effects) }),
  });
}

/** An example that the schema would refuse teaches every planner to be refused. JSON Schema is asked where tools are put together. */
function exampleFaults({ examples, inputSchema }: AnyToolOptions): readonly Fault[] {
  const { input } = schemaChecks(inputSchema, undefined);
  if (input === undefined || !Array.isArray(examples)) return [];
  return examples.flatMap((example: unknown, place) => {
    const params: unknown = typeof example === 'object' && example !== null ? Reflect.get(example, 'params') : null;
    if (typeof params !== 'object' || params === null || Array.isArray(params)) return [];
    const [problem] = exampleProblems(params as JsonObject, input(params as JsonObject));
    if (problem === undefined) return [];
    const path = `/examples/${place}/params${problem.path}`;
    return [wrong(path, `${path}: ${problem.message}: the tool would refuse its own example`)];
  });
}

function schemaFaults(option: string, given: unknown, converted: Converted): readonly Fault[] {
  if (given === undefined) return [wrong(`/${option}`, `${option} is missing: give a schema or JSON Schema`)];
  return converted.ok ? [] : [wrong(`/${option}`, `${option}: ${converted.why}`)];
}

/** One fault for all of them, with the code and the place of the first. */
function refuse(name: unknown, faults: readonly Fault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const called = typeof name === 'string' ? `tool ${printable(name)}` : 'a tool without a name';
  const message =
    faults.length === 1
      ? `${called}: ${first.message}`
      : `${called}: ${faults.length} things are wrong\n${faults.map((fault) => `- ${fault.message}`).join('\n')}`;
  throw new Fault(first.code, message, first.path === undefined ? {} : { path: first.path });
}
