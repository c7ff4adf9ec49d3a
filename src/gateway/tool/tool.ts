import { Fault } from '../../model/fault/fault.ts';
import { guardInput } from '../../model/fault/guard-input.ts';
import { APPROVAL_MODES, type ApprovalMode } from '../../model/gate/approval-mode.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { optionPaths } from '../../model/json/option-paths.ts';
import { parseNamed } from '../../model/json/parse.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { printable } from '../../model/json/printable.ts';
import { unknownNames } from '../../model/text/nearest.ts';
import { exampleProblems } from '../../model/tool/example-problems.ts';
import { assertRules } from '../../model/tool/rules/category-rules.ts';
import { ToolSpec } from '../../model/tool/tool.ts';
import type { BoundTool, ToolContext } from '../../ports/bound-tool.ts';
import { type Converted, inputJsonSchema, outputJsonSchema } from './json-schemas.ts';
import type { AnyToolOptions, Tool, ToolOptions } from './options.ts';
import { companionsOf, probingOf } from './probing.ts';
import { schemaChecks } from './schema-checks.ts';
import type { Received, Returned, ToolSchema } from './standard-schema.ts';
import { compensationTool, toSpec } from './to-spec.ts';

/** Declares a tool. Throws one fault that lists everything wrong with the declaration. */
export function tool<In extends ToolSchema, Out extends ToolSchema, Probe extends BoundTool = BoundTool>(
  options: ToolOptions<In, Out, Probe>,
): Tool<Received<In>, Returned<Out>> {
  // The declaration may come from untyped code, so the static types are not relied on from here.
  return guardInput('tool', declareTool)(options as unknown as AnyToolOptions) as Tool<Received<In>, Returned<Out>>;
}

function declareTool(options: AnyToolOptions): BoundTool {
  if (typeof options !== 'object' || options === null) {
    throw new Fault('input_invalid', 'a tool is declared as tool({ name, description, approvalMode, … })');
  }
  const input = inputJsonSchema(options.inputSchema);
  const output = outputJsonSchema(options.outputSchema);
  throwFaults(options.name, [
    ...declarationFaults(options),
    ...schemaFaults('inputSchema', options.inputSchema, input),
    ...schemaFaults('outputSchema', options.outputSchema, output),
    ...exampleFaults(options),
  ]);
  const { approvalMode, effects, inputSchema, outputSchema, execute } = options;
  // Checked above; the compiler cannot know that `refuse` throws.
  if (!input.ok || !output.ok || !isApprovalMode(approvalMode)) throw new Fault('internal', 'an unchecked tool');
  const spec = toSpec(options, approvalMode, { input: input.schema, output: output.schema });
  const name = `tool ${printable(String(options.name))}`;
  const parsed = deepFreeze(parseNamed(name, ToolSpec, spec, 'input_invalid'));
  assertRules(parsed);
  return Object.freeze({
    spec: parsed,
    execute: (args: JsonObject, context: ToolContext) => execute(args, context) as Promise<Json | undefined>,
    checks: schemaChecks(inputSchema, outputSchema),
    stated: optionPaths(options),
    ...(effects === undefined ? {} : { probing: probingOf(effects), companions: companionsOf(effects) }),
  });
}

/** Refuses invalid examples, because planners copy them. JSON Schema is checked when the registry is built. */
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

function schemaFaults(option: string, schema: unknown, converted: Converted): readonly Fault[] {
  if (schema === undefined) return [wrong(`/${option}`, `${option} is missing: give a schema or JSON Schema`)];
  return converted.ok ? [] : [wrong(`/${option}`, `${option}: ${converted.why}`)];
}

/** Throws one fault for all faults, with the code and the path of the first. */
function throwFaults(name: unknown, faults: readonly Fault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const called = typeof name === 'string' ? `tool ${printable(name)}` : 'a tool without a name';
  const message =
    faults.length === 1
      ? `${called}: ${first.message}`
      : `${called}: ${faults.length} things are wrong\n${faults.map((fault) => `- ${fault.message}`).join('\n')}`;
  throw new Fault(first.code, message, first.path === undefined ? {} : { path: first.path });
}

/** The known options by the place of their group in a declaration. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  '': [
    'name',
    'description',
    'version',
    'approvalMode',
    'inputSchema',
    'outputSchema',
    'execute',
    'effects',
    'limits',
    'risk',
    'rules',
    'conditions',
    'about',
    'examples',
    'say',
  ],
  '/effects': [
    'idempotency',
    'verify',
    'reconcile',
    'compensate',
    'produces',
    'needs',
    'sideEffect',
    'equivalents',
    'degraded',
  ],
  '/limits': ['timeoutMs', 'retries', 'rate', 'concurrency', 'payloadMaxBytes', 'equalCalls', 'external'],
  '/risk': ['category', 'gates', 'trusted', 'cost', 'blastRadius', 'rollback', 'sensitive', 'requestWords', 'unwrap'],
  '/rules': ['action', 'allow', 'category', 'privacy', 'asserts', 'complete'],
  '/effects/idempotency': ['kind', 'retentionMs'],
  '/effects/verify': ['probe', 'args', 'expect'],
  '/effects/reconcile': ['probe', 'args'],
  '/effects/degraded': ['order', 'cachedForMs'],
  '/limits/rate': ['calls', 'perMs'],
};

/** The faults of a declaration that need no conversion, each with its remedy. */
function declarationFaults(options: AnyToolOptions): readonly Fault[] {
  return [...modeFaults(options), ...unknownOptions(options), ...codeFaults(options), ...effectFaults(options)];
}

const isApprovalMode = (mode: unknown): mode is ApprovalMode => APPROVAL_MODES.includes(mode as ApprovalMode);

/** A missing mode has no default, because the mode decides whether approval is needed. */
function modeFaults({ approvalMode }: AnyToolOptions): readonly Fault[] {
  if (isApprovalMode(approvalMode)) return [];
  const problem =
    approvalMode === undefined ? 'is missing' : `${printable(JSON.stringify(approvalMode) ?? '')} is none`;
  const message = `approvalMode ${problem}: say what a call may do, one of ${APPROVAL_MODES.join(', ')}`;
  return [new Fault('approval_mode_undeclared', message, { path: '/approvalMode' })];
}

function unknownOptions(options: AnyToolOptions): readonly Fault[] {
  return Object.entries(KNOWN).flatMap(([path, known]) => {
    const entry = optionAt(options, path);
    // `idempotency` may be a text too.
    if (entry === undefined || (path === '/effects/idempotency' && typeof entry === 'string')) return [];
    const group = path.slice(1).replace('/', '.');
    if (typeof entry !== 'object' || entry === null) {
      return [wrong(path, `${group} is an object with ${known.join(', ')}`)];
    }
    const unknown = unknownNames(entry, known);
    if (unknown === null) return [];
    return [wrong(path + pointerToken(unknown.first), group === '' ? unknown.message : `${group}: ${unknown.message}`)];
  });
}

/** Reads the option at a path. Undefined if it is missing or inside a value that is not an object. */
function optionAt(options: AnyToolOptions, path: string): unknown {
  let entry: unknown = options;
  for (const key of path.split('/').slice(1)) {
    entry = typeof entry === 'object' && entry !== null ? Reflect.get(entry, key) : undefined;
  }
  return entry;
}

function codeFaults({ execute }: AnyToolOptions): readonly Fault[] {
  return typeof execute === 'function' ? [] : [wrong('/execute', 'execute is missing: give the function that does it')];
}

function effectFaults({ approvalMode, effects }: AnyToolOptions): readonly Fault[] {
  if (typeof effects !== 'object' || effects === null) return [];
  const { sideEffect, verify, reconcile, compensate, idempotency } = effects;
  return [
    ...(approvalMode === 'read_only' && sideEffect === true
      ? [wrong('/effects/sideEffect', 'a tool with side effects is not read_only: use local_write or a stricter mode')]
      : []),
    ...(approvalMode === 'read_only' && compensate !== undefined
      ? [wrong('/effects/compensate', 'a read_only tool leaves nothing to take back: drop compensate')]
      : []),
    ...(idempotency !== undefined && typeof idempotency === 'object' && !(idempotency.retentionMs > 0)
      ? [wrong('/effects/idempotency/retentionMs', 'say for how many milliseconds the tool remembers a key')]
      : []),
    ...probeFaults('verify', verify?.probe, verify !== undefined),
    ...probeFaults('reconcile', reconcile?.probe, reconcile !== undefined),
    ...(verify !== undefined && typeof verify.expect !== 'function'
      ? [
          wrong(
            '/effects/verify/expect',
            'expect is missing: give a function that says whether the probe found it done',
          ),
        ]
      : []),
    ...(compensate !== undefined && compensationTool(compensate)?.spec === undefined
      ? [wrong('/effects/compensate', 'compensate is no tool: give one that tool() made, or { tool, args }')]
      : []),
  ];
}

type Probe = NonNullable<NonNullable<AnyToolOptions['effects']>['reconcile']>['probe'];

/** Checks that a probe is read-only, because probes run without approval. */
function probeFaults(kind: 'verify' | 'reconcile', probe: Probe | undefined, declared: boolean): readonly Fault[] {
  if (!declared) return [];
  const path = `/effects/${kind}/probe`;
  if (probe?.spec === undefined) return [wrong(path, `${kind} has no probe: give a read-only tool that tool() made`)];
  const { name, approval_mode, side_effect } = probe.spec;
  if (approval_mode === 'read_only' && !side_effect) return [];
  return [wrong(path, `the probe ${name} is ${approval_mode}: a probe only looks, so it must be read_only`)];
}

const wrong = (path: string, message: string): Fault => new Fault('input_invalid', message, { path });
