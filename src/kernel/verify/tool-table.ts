import { Fault, type FaultCode } from '../../model/fault.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { plainZeros } from '../../model/plain-zeros.ts';
import type { Problem } from '../../model/problem.ts';
import { besidesSealed } from '../../model/sealed.ts';
import type { ToolSpec } from '../../model/tool.ts';
import { checkAllowList } from './allow-list.ts';
import { defaultsOf, type FillDefaults } from './fill-defaults.ts';

/** The tools of a run, looked up by names that come from models: what is not in the table does not exist. */
export interface ToolTable {
  /** All of them, as the registry lists them. */
  readonly specs: readonly ToolSpec[];
  get(name: string): ToolSpec | undefined;
  isAllowed(name: string): boolean;
  /** What the run may really use, for an answer to whoever named something else: active and allowed. */
  readonly available: readonly string[];
  /** The same as one text, made once: a plan may name thousands of tools that do not exist. */
  readonly availableText: string;
  /** As they are hashed and sent: defaults of the schema in place, save those of tools from outside; zeros plain. */
  complete(name: string, args: JsonObject): JsonObject;
  /** Schema and allow-lists. Asked when a plan is verified and again with the values in hand, before each dispatch. */
  checkArguments(name: string, args: JsonObject): readonly Problem[];
  checkOutput(name: string, value: Json): readonly Problem[];
  /** Whether any tool supplies evidence of this type. */
  producesType(type: string): boolean;
}

/** Turns a JSON Schema into a check of values. The kernel is given one; it has none of its own. */
export type CompileSchema = (schema: JsonObject) => (value: Json) => readonly Problem[];

/** Compiles every schema at once, so that a registry with an unusable one is refused before a run starts. */
export function toolTable(specs: readonly ToolSpec[], allowed: ReadonlySet<string>, compile: CompileSchema): ToolTable {
  const rows = new Map<string, Row>();
  for (const [index, spec] of specs.entries()) {
    if (rows.has(spec.name))
      throw new Fault('input_invalid', `two tools are named ${spec.name}`, { path: `/tools/${index}/name` });
    rows.set(spec.name, {
      spec,
      complete: spec.source === undefined ? defaultsOf(spec.input_schema) : null,
      input: guarded(compile(spec.input_schema), 'argument_invalid'),
      output: guarded(compile(spec.output_schema), 'tool_result_invalid'),
    });
  }
  const types = new Set(specs.flatMap(({ produces }) => produces));
  const available = specs.filter(({ name, active }) => active && allowed.has(name)).map(({ name }) => name);
  return {
    specs,
    get: (name) => rows.get(name)?.spec,
    isAllowed: (name) => allowed.has(name),
    available,
    availableText: available.join(', ') || 'none',
    complete: (name, args) => plainZeros(rows.get(name)?.complete?.(args) ?? args),
    checkArguments: (name, args) => {
      const row = rows.get(name);
      if (row === undefined) return unknown(name);
      const misfits = row.input(args);
      const { argument_allow, privacy } = row.spec;
      const problems = argument_allow === undefined ? misfits : [...misfits, ...checkAllowList(row.spec, args)];
      return besidesSealed(problems, args, privacy?.opens);
    },
    checkOutput: (name, value) => {
      const row = rows.get(name);
      return row === undefined ? unknown(name) : besidesSealed(row.output(value), value, row.spec.privacy?.seals);
    },
    producesType: (type) => types.has(type),
  };
}

interface Row {
  readonly spec: ToolSpec;
  readonly complete: FillDefaults | null;
  readonly input: (value: Json) => readonly Problem[];
  readonly output: (value: Json) => readonly Problem[];
}

/** A validator that breaks has not said yes. */
function guarded(check: (value: Json) => readonly Problem[], code: FaultCode): (value: Json) => readonly Problem[] {
  return (value) => {
    try {
      const problems = check(value);
      return problems.length === 0 ? problems : problems.map((problem) => ({ ...problem, code }));
    } catch (error) {
      return [{ code, path: '', message: `could not be checked: ${String(error)}` }];
    }
  };
}

function unknown(name: string): readonly Problem[] {
  return [{ code: 'hallucinated_capability', path: '', message: `there is no tool ${name}` }];
}
