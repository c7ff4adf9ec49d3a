import { Fault } from '../../model/fault.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { costAt, type ModelPrice } from '../../model/model-price.ts';
import { printable } from '../../model/printable.ts';
import type { Problem } from '../../model/problem.ts';
import { addCost, type ToolCost } from '../../model/tool.ts';
import type { ToolContext } from '../../ports/bound-tool.ts';
import type { ForeignModel, LanguageModel, ModelProfile, ModelPrompt } from '../../ports/language-model.ts';
import { outputJsonSchema } from './json-schemas.ts';
import type { Tool, ToolLimitOptions, ToolRisk, ToolRules } from './options.ts';
import { schemaChecks } from './schema-checks.ts';
import type { Received, Returned, ToolSchema } from './standard-schema.ts';
import { tool } from './tool.ts';

/** What a model is told, in a version: whoever changes the words changes the version. */
export interface PromptText<Input> {
  readonly version: string;
  readonly system: string;
  readonly text: (input: Input) => string;
}

export interface PromptToolOptions<In extends ToolSchema, Out extends ToolSchema> {
  readonly name: string;
  readonly description: string;
  /** A model of the AI SDK, or a profile that says how it is used. */
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

/** Prompts of a step are short; whoever means to send a book says so in `bounds.cost`. */
const INPUT_TOKENS = 32_000;

/** No call of any tool has longer. */
const TIMEOUT_MS_MAX = 86_400_000;

/** One more try where the answer does not have its shape: told what is wrong, most models mend it. */
const REPAIRS_MAX = 1;

/**
 * A step that asks a model: the links of a prompt chain, and the one call of a direct response. It is a tool like any
 * other, read-only and behind the gateway; its answer must have the declared shape, and it is trusted no more than any
 * other stranger unless the host says so.
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

/** How a model is used where nobody says how: whoever knows models settles that. */
export type ProfileOf = (model: PromptToolOptions<ToolSchema, ToolSchema>['model']) => ModelProfile;

/** How long a question may take with everything that its profile tries: whoever asks models settles that as well. */
export type LongestMs = (model: ModelProfile) => number;

function promptTool<In extends ToolSchema, Out extends ToolSchema>(
  options: PromptToolOptions<In, Out>,
  model: ModelProfile,
  usualMs: number,
): Tool<Received<In>, Returned<Out>> {
  const { name, description, prompt, inputSchema, outputSchema, produces, bounds = {} } = options;
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

/** What one answer may take at most. Without a price nobody could set anything aside for it. */
function costOf(name: string, { parameters, price }: ModelProfile, declared: number | undefined): ToolCost {
  if (price === null && declared === undefined) {
    const fix = 'give its profile a price, or bounds.cost.microusd';
    throw new Fault('input_invalid', `tool ${printable(name)}: nobody knows what its model costs: ${fix}`, {
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

/** Whatever comes back in the end is checked by the gateway, as everything is that a tool brings. */
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
    const said = reply.json ?? reply.text;
    const problems = problemsOf(said);
    if (problems.length === 0 || repairs === REPAIRS_MAX) return said;
    messages = [...messages, { author: 'assistant', text: reply.text }, { author: 'user', text: feedback(problems) }];
  }
}

function feedback(problems: readonly Problem[]): string {
  const list = problems.map(({ path, message }) => `- ${path === '' ? 'the answer' : path} ${message}`).join('\n');
  return `That answer does not have the shape that was asked for:\n${list}\nAnswer again, with JSON alone.`;
}
