import { hash } from 'node:crypto';
import { asSchema, type FlexibleSchema, type ToolExecutionOptions, type ToolSet } from 'ai';
import { Fault } from '../../model/fault/fault.ts';
import { guardInput } from '../../model/fault/guard-input.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import { address } from '../../model/json/hash.ts';
import { type Json, type JsonObject, own } from '../../model/json/json.ts';
import { optionPaths } from '../../model/json/option-paths.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { printable, reasonOf } from '../../model/json/printable.ts';
import type { Problem } from '../../model/json/problem.ts';
import { takeJson } from '../../model/json/take-json.ts';
import {
  assertKnownLabels,
  importedSpec,
  type ToolAssumptions,
  type ToolLabel,
  UNDECLARED,
} from '../../model/tool/imported-tool.ts';
import type { BoundTool, ToolChecks } from '../../ports/bound-tool.ts';

/** Converts any schema that the AI SDK accepts (Zod, Standard Schema, JSON Schema) to JSON Schema. */
async function jsonSchemaOf(name: string, schema: FlexibleSchema<unknown>): Promise<JsonObject> {
  try {
    // A converter may add non-JSON properties to its result; the round trip drops them.
    return takeJson(JSON.parse(JSON.stringify(await asSchema(schema).jsonSchema))) as JsonObject;
  } catch (cause) {
    const message = `a schema of ${name} cannot be written as JSON Schema: ${reasonOf(cause)}`;
    throw new Fault('input_invalid', message, { path: pointerToken(name), cause });
  }
}

async function parseWith(name: string, schema: FlexibleSchema<unknown>, value: unknown): Promise<unknown> {
  const { validate } = asSchema(schema);
  if (validate === undefined) return value;
  const result = await validate(value);
  if (result.success) return result.value;
  throw new Fault('argument_invalid', `${name}: ${reasonOf(result.error)}`, { cause: result.error });
}

const CHANGES = 'its schema would change these arguments: write them as it would leave them';

/** Rejects arguments that the tool's own schema would change, so that exactly the approved arguments run. */
async function assertUnchanged(name: string, schema: FlexibleSchema<unknown>, args: JsonObject): Promise<void> {
  if (isSame(await parseWith(name, schema, args), args)) return;
  throw new Fault('argument_invalid', `${name}: ${CHANGES}`);
}

function isSame(parsed: unknown, args: Json): boolean {
  try {
    return canonicalize(takeJson(parsed)) === canonicalize(args);
  } catch {
    // A parsed value that is not JSON differs from the approved arguments.
    return false;
  }
}

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

interface Standard {
  validate(value: unknown): StandardResult | Promise<StandardResult>;
}

type StandardResult = { readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/**
 * Checks a schema's requirements beyond JSON Schema, such as refinements, so that the gateway can refuse a call before
 * its intent is recorded. Asynchronous checks run when the tool is called.
 */
function inputCheck(schema: FlexibleSchema<unknown>): ToolChecks {
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

/** Yields to the event loop after this many outputs; a stream that is always ready would block all timers. */
const OUTPUTS_IN_A_ROW = 100;

/**
 * Returns a tool's final output. In a stream, each output replaces the one before. An aborted call stops its stream and
 * waits for no further output.
 */
async function lastOutput(output: unknown, signal: AbortSignal): Promise<unknown> {
  if (!isAsyncIterable(output)) return await output;
  const stream = output[Symbol.asyncIterator]();
  const aborted = whenAborted(signal);
  let last: unknown;
  for (let count = 1; ; count += 1) {
    const next = await Promise.race([stream.next(), aborted]);
    if (next === ABORTED || signal.aborted) {
      // Not awaited, because a stream in the middle of its work may never end.
      void Promise.resolve(stream.return?.()).catch(() => undefined);
      throw new Fault('tool_failed', 'the call was called back while its output was streaming');
    }
    if (next.done === true) return last;
    last = next.value;
    if (count % OUTPUTS_IN_A_ROW === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

const ABORTED = Symbol('recalled');

function whenAborted(signal: AbortSignal): Promise<typeof ABORTED> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(ABORTED);
    else signal.addEventListener('abort', () => resolve(ABORTED), { once: true });
  });
}

/** Converts an output to JSON as the AI SDK does. Undefined is an empty answer. */
function plainJson(name: string, output: unknown): Json | undefined {
  if (output === undefined) return undefined;
  try {
    const text: string | undefined = JSON.stringify(output);
    if (text !== undefined) return JSON.parse(text) as Json;
  } catch (cause) {
    throw new Fault('tool_result_invalid', `${name} returned what is not JSON: ${reasonOf(cause)}`, { cause });
  }
  throw new Fault('tool_result_invalid', `${name} returned a ${typeof output}, which is not JSON`);
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** Labels of single tools, by their names in the set. */
export type ToolLabels = Readonly<Record<string, ToolLabel>>;

/** The contexts of tools that declare one, by name. No model sees them. */
export type ToolContexts = Readonly<Record<string, unknown>>;

const SOURCE = 'ai-sdk';

/** Binds tools written for the AI SDK. A tool without a label is destructive, and `needsApproval` adds a gate. */
export const fromAISDK: (
  tools: ToolSet,
  labels?: ToolLabels,
  contexts?: ToolContexts,
) => Promise<readonly BoundTool[]> = guardInput(
  'fromAISDK',
  async (tools: ToolSet, labels: ToolLabels = {}, contexts: ToolContexts = {}): Promise<readonly BoundTool[]> => {
    const names = Object.keys(tools);
    assertKnownLabels('the tool set', labels, names);
    assertKnownLabels('the tool set', contexts, names);
    return await Promise.all(
      Object.entries(tools).map(async ([name, tool]) =>
        bind(name, tool, own(labels, name), await contextFor(name, tool, own(contexts, name))),
      ),
    );
  },
);

type AnyTool = ToolSet[string];
type Execute = (input: unknown, options: ToolExecutionOptions<unknown>) => unknown;

async function bind(name: string, tool: AnyTool, label: ToolLabel | undefined, context: unknown): Promise<BoundTool> {
  const execute = codeOf(name, tool);
  const known = {
    name,
    description: descriptionOf(name, tool, context),
    input_schema: await jsonSchemaOf(name, tool.inputSchema),
    output_schema: tool.outputSchema === undefined ? {} : await jsonSchemaOf(name, tool.outputSchema),
  };
  const spec = importedSpec({ ...known, version: versionOf(known), source: SOURCE }, assumedOf(tool), label);
  return {
    spec,
    stated: optionPaths(label ?? {}),
    checks: inputCheck(tool.inputSchema),
    execute: async (args, { idempotencyKey, signal }) => {
      await assertUnchanged(name, tool.inputSchema, args);
      // Passes a copy of the approved arguments, not the parsed value, which may return other data on a second read.
      const output = execute(structuredClone(args), {
        toolCallId: idempotencyKey,
        abortSignal: signal,
        messages: [],
        context,
      });
      return plainJson(name, await lastOutput(output, signal));
    },
  };
}

/** Rejects a provider-executed tool, which the gateway could neither stop nor record. */
function codeOf(name: string, tool: AnyTool): Execute {
  if (tool.isProviderExecuted === true) {
    const message = `${name} is run by the model's provider (${tool.id}) and never passes the gateway: leave it out`;
    throw new Fault('input_invalid', message, { path: `/${name}` });
  }
  if (typeof tool.execute === 'function') return tool.execute as Execute;
  throw new Fault('input_invalid', `${name} has no execute function: there is nothing to call`, { path: `/${name}` });
}

/** A `needsApproval` function may depend on the input; here it always requires approval. */
function assumedOf({ needsApproval }: AnyTool): ToolAssumptions {
  return { ...UNDECLARED, asks: needsApproval !== undefined && needsApproval !== false };
}

function descriptionOf(name: string, { description }: AnyTool, context: unknown): string {
  return typeof description === 'function' ? description({ context }) : (description ?? name);
}

async function contextFor(name: string, { contextSchema }: AnyTool, context: unknown): Promise<unknown> {
  if (contextSchema === undefined) return context ?? {};
  if (context === undefined) {
    throw new Fault('input_invalid', `${name} declares a context: give it as contexts["${name}"]`, {
      path: `/${name}`,
    });
  }
  return await parseWith(`the context of ${name}`, contextSchema, context);
}

function versionOf(known: JsonObject): string {
  return address((text) => hash('sha256', text, 'hex'), known as Json);
}
