import { hash } from 'node:crypto';
import type { ToolExecutionOptions, ToolSet } from 'ai';
import { Fault } from '../../model/fault.ts';
import { address } from '../../model/hash.ts';
import { type Assumed, assertLabelled, importedSpec, type ToolLabel, UNDECLARED } from '../../model/imported-tool.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';
import { inputCheck } from './input-check.ts';
import { lastOutput, plainJson } from './plain-output.ts';
import { assertUnchanged, jsonSchemaOf, parsedBy } from './schema.ts';

/** What you state about single tools, by their names in the set. */
export type ToolLabels = Readonly<Record<string, ToolLabel>>;

/** The context of each tool that declares one, by the same names. It never reaches a model. */
export type ToolContexts = Readonly<Record<string, unknown>>;

const SOURCE = 'ai-sdk';

/** Tools written for the AI SDK, bound: without a label each is destructive, and its author's wish for approval stands. */
export async function fromAISDK(
  tools: ToolSet,
  labels: ToolLabels = {},
  contexts: ToolContexts = {},
): Promise<readonly BoundTool[]> {
  const names = Object.keys(tools);
  assertLabelled('the tool set', labels, names);
  assertLabelled('the tool set', contexts, names);
  return await Promise.all(
    Object.entries(tools).map(async ([name, tool]) =>
      bind(name, tool, own(labels, name), await contextFor(name, tool, own(contexts, name))),
    ),
  );
}

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
    checks: inputCheck(tool.inputSchema),
    execute: async (args, { idempotencyKey, signal }) => {
      await assertUnchanged(name, tool.inputSchema, args);
      // A copy of what was approved, and not what the schema made of it: that may answer otherwise when it is read again.
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

/** Only code that runs here passes the gateway: what a provider runs on its own side can be neither held nor recorded. */
function codeOf(name: string, tool: AnyTool): Execute {
  if (tool.isProviderExecuted === true) {
    const message = `${name} is run by the model's provider (${tool.id}) and never passes the gateway: leave it out`;
    throw new Fault('input_invalid', message, { path: `/${name}` });
  }
  if (typeof tool.execute === 'function') return tool.execute as Execute;
  throw new Fault('input_invalid', `${name} has no execute function: there is nothing to call`, { path: `/${name}` });
}

/** A wish for approval may depend on the input; whoever asks for it sometimes is asked for it always. */
function assumedOf({ needsApproval }: AnyTool): Assumed {
  return { ...UNDECLARED, asks: needsApproval !== undefined && needsApproval !== false };
}

function descriptionOf(name: string, { description }: AnyTool, context: unknown): string {
  return typeof description === 'function' ? description({ context }) : (description ?? name);
}

async function contextFor(name: string, { contextSchema }: AnyTool, given: unknown): Promise<unknown> {
  if (contextSchema === undefined) return given ?? {};
  if (given === undefined) {
    throw new Fault('input_invalid', `${name} declares a context: give it as contexts["${name}"]`, {
      path: `/${name}`,
    });
  }
  return await parsedBy(`the context of ${name}`, contextSchema, given);
}

function versionOf(known: JsonObject): string {
  return address((text) => hash('sha256', text, 'hex'), known as Json);
}

const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;
