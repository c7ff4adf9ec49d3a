import { Fault, type FaultCode } from '../../model/fault/fault.ts';
import { plainZeros } from '../../model/json/canonical.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { sameJson } from '../../model/json/json-at.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import type { Problem } from '../../model/json/problem.ts';
import { withoutSealedProblems } from '../../model/json/sealed.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import type { CompileSchema } from './compile-schema.ts';
import { defaultCheck, defaultsOf, type FillDefaults } from './fit/fill-defaults.ts';

/** The tools of a run by name. Names come from models, so any other name counts as unknown. */
export interface ToolTable {
  /** All tools of the registry. */
  readonly specs: readonly ToolSpec[];
  get(name: string): ToolSpec | undefined;
  isAllowed(name: string): boolean;
  /** Names of the active and allowed tools, for the answer to an unknown name. */
  readonly available: readonly string[];
  /** The names as one text, built once because a plan may have thousands of unknown tools. */
  readonly availableText: string;
  /**
   * Arguments as they are hashed and sent: with schema defaults, except for imported tools, and 0 for -0. A default that
   * does not fit its own schema is ignored, except in runs recorded before that rule (`unfit`).
   */
  complete(name: string, args: JsonObject, unfit?: 'ignored' | 'used'): JsonObject;
  /** Checks schema and allow-lists, when a plan is verified and again with the values before each dispatch. */
  checkArguments(name: string, args: JsonObject): readonly Problem[];
  checkOutput(name: string, value: Json): readonly Problem[];
  /** True if a tool produces evidence of this type. */
  producesType(type: string): boolean;
}

/** Compiles every schema at once, so that an unusable one is refused before a run starts. */
export function toolTable(specs: readonly ToolSpec[], allowed: ReadonlySet<string>, compile: CompileSchema): ToolTable {
  const rows = new Map<string, Row>();
  for (const [index, spec] of specs.entries()) {
    if (rows.has(spec.name))
      throw new Fault('input_invalid', `two tools are named ${spec.name}`, { path: `/tools/${index}/name` });
    const imported = spec.source !== undefined;
    rows.set(spec.name, {
      spec,
      complete: imported ? null : defaultsOf(spec.input_schema, defaultCheck(spec.input_schema, compile)),
      completeAll: imported ? null : defaultsOf(spec.input_schema),
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
    complete: (name, args, unfit = 'ignored') => {
      const row = rows.get(name);
      const fill = unfit === 'ignored' ? row?.complete : row?.completeAll;
      return plainZeros(fill?.(args) ?? args);
    },
    checkArguments: (name, args) => {
      const row = rows.get(name);
      if (row === undefined) return unknown(name);
      const misfits = row.input(args);
      const { argument_allow, privacy } = row.spec;
      const problems = argument_allow === undefined ? misfits : [...misfits, ...checkAllowList(row.spec, args)];
      return withoutSealedProblems(problems, args, privacy?.opens);
    },
    checkOutput: (name, value) => {
      const row = rows.get(name);
      return row === undefined
        ? unknown(name)
        : withoutSealedProblems(row.output(value), value, row.spec.privacy?.seals);
    },
    producesType: (type) => types.has(type),
  };
}

interface Row {
  readonly spec: ToolSpec;
  readonly complete: FillDefaults | null;
  readonly completeAll: FillDefaults | null;
  readonly input: (value: Json) => readonly Problem[];
  readonly output: (value: Json) => readonly Problem[];
}

/** Turns a validator's exception into a problem, so that it never counts as acceptance. */
export function guarded(
  check: (value: Json) => readonly Problem[],
  code: FaultCode,
): (value: Json) => readonly Problem[] {
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

/** Checks values against the registry's allow-lists. A missing argument is accepted. */
function checkAllowList({ argument_allow: lists = {} }: ToolSpec, args: JsonObject): readonly Problem[] {
  return Object.entries(lists).flatMap(([name, values]) => {
    const argument = Object.hasOwn(args, name) ? args[name] : undefined;
    if (argument === undefined || values.some((value) => sameJson(value, argument))) return [];
    return [notAllowed(pointerToken(name))];
  });
}

/** The allow-lists as a schema with an `enum` per argument, for values that do not exist yet. */
export function allowListSchema({ argument_allow: lists = {} }: ToolSpec): JsonObject {
  const properties = Object.entries(lists).map(([name, values]): [string, Json] => [name, { enum: values }]);
  return { properties: Object.fromEntries(properties) };
}

export function notAllowed(path: string): Problem {
  return { code: 'argument_not_allowed', path, message: `the value of ${path.slice(1)} is not on its allow-list` };
}
