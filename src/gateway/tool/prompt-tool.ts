import { costAt, type ModelPrice } from '../../model/budget/model-price.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { printable } from '../../model/json/printable.ts';
import type { Problem } from '../../model/json/problem.ts';
import { unknownNames } from '../../model/text/nearest.ts';
import { addCost, type ToolCost } from '../../model/tool/tool.ts';
import type { ToolContext } from '../../ports/bound-tool.ts';
import type { ForeignModel, LanguageModel, ModelProfile, ModelPrompt } from '../../ports/model/language-model.ts';
import { outputJsonSchema } from './json-schemas.ts';
import type { Tool, ToolLimitOptions, ToolRisk, ToolRules } from './options.ts';
import { schemaChecks } from './schema-checks.ts';
import type { Received, Returned, ToolSchema } from './standard-schema.ts';
import { tool } from './tool.ts';

/** A versioned prompt. Change the version whenever the text changes. */
export interface PromptText<Input> {
  readonly version: string;
  readonly system: string;
  readonly text: (input: Input) => string;
}

export interface PromptToolOptions<In extends ToolSchema, Out extends ToolSchema> {
  readonly name: string;
  readonly description: string;
  /** A model of the AI SDK, or a profile that configures its use. */
  readonly model: LanguageModel | ForeignModel | ModelProfile;
  readonly prompt: PromptText<Received<In>>;
  readonly inputSchema: In;
  readonly outputSchema: Out;
  /** Evidence types that an answer supplies. */
  readonly produces?: readonly string[];
  readonly bounds?: PromptBounds;
}

export type PromptBounds = Pick<ToolLimitOptions, 'timeoutMs' | 'retries'> &
  Pick<ToolRisk, 'trusted' | 'cost'> &
  Pick<ToolRules, 'action'>;

/** Default input size for the cost estimate. Override it with `bounds.cost` for longer prompts. */
const INPUT_TOKENS = 32_000;

/** The upper limit for the timeout of any tool. */
const TIMEOUT_MS_MAX = 86_400_000;

/** Number of retries for an answer of the wrong shape. Most models correct it when they see the problems. */
const REPAIRS_MAX = 1;

/**
 * Creates a read-only tool that calls a model, for prompt chains and direct responses. Like any other tool it runs
 * behind the gateway, its answer has to fit the output schema, and the answer is untrusted unless declared otherwise.
 */
export function promptToolWith(profileOf: ProfileOf, longestMs: LongestMs): PromptTools {
  return (options) => {
    const model = profileOf(options.model);
    return promptTool(options, model, Math.min(longestMs(model), TIMEOUT_MS_MAX));
  };
}

export type PromptTools = <In extends ToolSchema, Out extends ToolSchema>(
  options: PromptToolOptions<In, Out>,
) => Tool<Received<In>, Returned<Out>>;

/** Resolves the default profile of a model. Supplied by the composition root. */
export type ProfileOf = (model: PromptToolOptions<ToolSchema, ToolSchema>['model']) => ModelProfile;

/** The longest time that one question may take, with all retries of its profile. */
export type LongestMs = (model: ModelProfile) => number;

const OPTIONS = ['name', 'description', 'model', 'prompt', 'inputSchema', 'outputSchema', 'produces', 'bounds'];
const BOUNDS = ['timeoutMs', 'retries', 'trusted', 'cost', 'action'];

/** Rejects unknown names, because a misspelt bound would limit nothing. */
function assertKnown(name: unknown, options: object, known: readonly string[], path: string): void {
  const unknown = unknownNames(options, known);
  if (unknown === null) return;
  const message = `promptTool ${printable(String(name))}: ${path === '' ? '' : 'bounds: '}${unknown.message}`;
  throw new Fault('input_invalid', message, { path: path + pointerToken(unknown.first) });
}

function promptTool<In extends ToolSchema, Out extends ToolSchema>(
  options: PromptToolOptions<In, Out>,
  model: ModelProfile,
  usualMs: number,
): Tool<Received<In>, Returned<Out>> {
  const { name, description, prompt, inputSchema, outputSchema, produces, bounds = {} } = options;
  assertKnown(name, options, OPTIONS, '');
  assertKnown(name, bounds, BOUNDS, '/bounds');
  const { timeoutMs = usualMs, retries = 1, trusted = false } = bounds;
  const converted = outputJsonSchema(outputSchema);
  const shape = converted.ok ? converted.schema : {};
  const { output: problemsOf = () => [] } = schemaChecks(inputSchema, outputSchema);
  const asking = tool<In, Out>({
    name,
    description,
    version: prompt.version,
    approvalMode: 'read_only',
    inputSchema,
    outputSchema,
    execute: async (input, context) =>
      (await answer(name, model, asked(name, prompt, input, shape), problemsOf, context)) as Returned<Out>,
    ...(produces === undefined ? {} : { effects: { produces } }),
    ...(bounds.action === undefined ? {} : { rules: { action: bounds.action } }),
    limits: { timeoutMs, retries, external: true },
    risk: { trusted, cost: { ...costOf(name, model, bounds.cost?.microusd), ...bounds.cost } },
  });
  return { ...asking, uses: [{ role: 'executor', profile: model, templates: [`${name}@${prompt.version}`] }] };
}

/**
 * The most that one call may cost. Throws if neither a price nor a cost is known, because nothing could be reserved.
 */
function costOf(name: string, { parameters, price }: ModelProfile, declared: number | undefined): ToolCost {
  if (price === null && declared === undefined) {
    const fix = 'give its profile a price, or bounds.cost.microusd';
    throw new Fault('input_invalid', `tool ${printable(name)}: the price of its model is unknown: ${fix}`, {
      path: '/model/price',
    });
  }
  const usage = { input_tokens: INPUT_TOKENS, output_tokens: parameters.outputTokensMax };
  const once = costAt(price ?? FREE, usage);
  const most = Array.from({ length: REPAIRS_MAX }, () => once).reduce(addCost, once);
  return declared === undefined ? most : { ...most, microusd: declared };
}

const FREE: ModelPrice = Object.freeze({ input: 0, output: 0 });

function asked<Input>(name: string, prompt: PromptText<Input>, input: Input, schema: JsonObject): ModelPrompt {
  return {
    role: 'executor',
    template: { name, version: prompt.version },
    system: prompt.system,
    messages: [{ author: 'user', text: prompt.text(input) }],
    schema: { name: 'answer', json: schema },
  };
}

/** Asks the model and retries once if the answer has the wrong shape. The gateway checks the final answer. */
async function answer(
  name: string,
  model: ModelProfile,
  prompt: ModelPrompt,
  problemsOf: (value: Json) => readonly Problem[],
  { models }: ToolContext,
): Promise<Json> {
  let { messages } = prompt;
  for (let repairs = 0; ; repairs += 1) {
    const reply = await models.ask(model, { ...prompt, messages });
    if (!reply.ok) throw reply.fault;
    if (reply.finish === 'length') throw new Fault('tool_failed', `${name}: the answer was cut off at its limit`);
    const value = reply.json ?? reply.text;
    const problems = problemsOf(value);
    if (problems.length === 0 || repairs === REPAIRS_MAX) return value;
    messages = [...messages, { author: 'assistant', text: reply.text }, { author: 'user', text: feedback(problems) }];
  }
}

function feedback(problems: readonly Problem[]): string {
  const list = problems.map(({ path, message }) => `- ${path === '' ? 'the answer' : path} ${message}`).join('\n');
  return `That answer does not have the shape that was asked for:\n${list}\nAnswer again, with JSON alone.`;
}
