import { Fault } from '../../model/fault.ts';
import type { Json } from '../../model/json.ts';
import type { Problem } from '../../model/problem.ts';
import type { ToolRegistry, ToolSpec } from '../../model/tool.ts';

/** A compiled JSON Schema. The kernel has no validator of its own; it is handed the finished checks. */
export type SchemaCheckFn = (value: Json) => readonly Problem[];

export interface ToolChecks {
  readonly input: SchemaCheckFn;
  readonly output: SchemaCheckFn;
}

/** The tools of a registry, by name, with their schemas compiled. Made once and shared by all runs pinned to it. */
export interface ToolTable {
  readonly version: string;
  /** In the order of the registry, for messages that list what is available. */
  readonly names: readonly string[];
  get(name: string): ToolSpec | undefined;
  /** Whether any tool supplies evidence of this type. */
  producesType(type: string): boolean;
  checkArguments(tool: string, args: Json): readonly Problem[];
  checkOutput(tool: string, value: Json): readonly Problem[];
}

export function toolTable(registry: ToolRegistry, compile: (tool: ToolSpec) => ToolChecks): ToolTable {
  const specs = new Map<string, ToolSpec>();
  const checks = new Map<string, ToolChecks>();
  const types = new Set<string>();
  for (const tool of registry.tools) {
    if (specs.has(tool.name)) throw new Fault('input_invalid', `two tools are called ${tool.name}`);
    specs.set(tool.name, tool);
    checks.set(tool.name, compile(tool));
    for (const type of tool.produces) types.add(type);
  }
  const checked = (name: string): ToolChecks => {
    const found = checks.get(name);
    if (found === undefined) throw new Fault('hallucinated_capability', `there is no tool ${name}`);
    return found;
  };
  return Object.freeze<ToolTable>({
    version: registry.version,
    names: Object.freeze([...specs.keys()]),
    get: (name) => specs.get(name),
    producesType: (type) => types.has(type),
    checkArguments: (tool, args) => checked(tool).input(args),
    checkOutput: (tool, value) => checked(tool).output(value),
  });
}
