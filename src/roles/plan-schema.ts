import type { DecisionSpec } from '../model/critic/decision.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../model/json/json.ts';
import type { ToolSpec } from '../model/tool/tool.ts';
import {
  anyOf,
  BOUND,
  BOUND_OR_DRAFTED,
  closed,
  type Holes,
  JSON_TEXT,
  orNull,
  portableValue,
} from './schema/portable.ts';

/** The inputs of a plan schema: the tools and decisions that this run may use. */
export interface PlanSchemaParts {
  readonly tools: readonly ToolSpec[];
  readonly decisions: readonly DecisionSpec[];
  readonly mayAnswer: boolean;
  readonly mayReply?: true;
  /** Whether the plan may only say that the requested action is impossible. */
  readonly mayRefuse?: true;
  /** Whether arguments may be left open for a drafter. */
  readonly mayDraft?: true;
  /** The schema of the output; absent if the agent declares none. */
  readonly output?: JsonObject;
}

export interface PlanSchema {
  readonly name: string;
  readonly json: JsonObject;
}

/** Within the schema limits of the strictest provider. */
const LIMITS = { properties: 2_000, characters: 60_000, words: 500 } as const;

/**
 * Plan schemas, the strictest first: one step form per tool; then any tool by name with arguments as JSON text; then
 * any name. Each is the fallback for a provider that rejects the one before as too large. The plan is verified against
 * the tools in any case.
 */
export function planSchemas(parts: PlanSchemaParts): readonly PlanSchema[] {
  const named = parts.tools.length <= LIMITS.words;
  const ladder = [
    { name: 'plan', json: planOf(parts, perTool(parts)) },
    ...(named ? [{ name: 'plan_by_name', json: planOf(parts, byName(parts.tools)) }] : []),
    { name: 'plan_loose', json: planOf({ ...parts, decisions: [] }, stepOf({ type: 'string' }, JSON_TEXT)) },
  ];
  const fitting = ladder.filter(({ json }) => fits(json));
  return fitting.length === 0 ? ladder.slice(-1) : fitting;
}

function fits(json: JsonObject): boolean {
  return JSON.stringify(json).length <= LIMITS.characters && propertiesIn(json) <= LIMITS.properties;
}

function propertiesIn(schema: Json): number {
  if (isJsonList(schema)) return schema.reduce<number>((sum, each) => sum + propertiesIn(each), 0);
  if (!isJsonObject(schema)) return 0;
  const here = isJsonObject(schema['properties']) ? Object.keys(schema['properties']).length : 0;
  return Object.values(schema).reduce<number>((sum, each) => sum + propertiesIn(each), here);
}

const INSTEAD: JsonObject = orNull({ type: 'string', description: 'instead of steps' });

const REPLY: JsonObject = orNull({
  ...closed({
    text: { type: 'string' },
    action_requested: { type: 'boolean', description: 'whether the message asks for something to be done' },
  }),
  description: 'instead of steps',
});

function planOf({ decisions, mayAnswer, mayReply, mayRefuse, output }: PlanSchemaParts, step: JsonObject): JsonObject {
  return closed({
    steps: { type: 'array', items: step },
    ...(decisions.length === 0 ? {} : { decision_checkpoints: { type: 'array', items: checkpoint(decisions) } }),
    ...(output === undefined ? {} : { output: orNull(portableValue(output, output, BOUND)) }),
    ...(mayAnswer ? { answer: INSTEAD } : {}),
    ...(mayReply === true ? { answer: mayAnswer ? INSTEAD : REPLY, decline: REPLY } : {}),
    ...(mayReply === true || mayRefuse === true ? { impossible: INSTEAD } : {}),
  });
}

const checkpoint = (decisions: readonly DecisionSpec[]): JsonObject =>
  closed({
    decision_id: { type: 'string', enum: decisions.map(({ decision_id }) => decision_id) },
    after_step: { type: 'string', description: 'id of the step it stands after' },
  });

function perTool({ tools, mayDraft }: PlanSchemaParts): JsonObject {
  const holes = mayDraft === true ? BOUND_OR_DRAFTED : BOUND;
  const steps = tools.map((tool) => stepOf({ type: 'string', enum: [tool.name] }, paramsOf(tool, holes)));
  const [only] = steps;
  if (only === undefined) return stepOf({ type: 'string' }, JSON_TEXT);
  return steps.length === 1 ? only : anyOf(...steps);
}

const byName = (tools: readonly ToolSpec[]): JsonObject =>
  stepOf({ type: 'string', enum: tools.map(({ name }) => name) }, JSON_TEXT);

/** The argument schema of a tool, narrowed to its allow-lists. */
function paramsOf({ input_schema, argument_allow = {} }: ToolSpec, holes: Holes): JsonObject {
  const properties = input_schema['properties'];
  if (Object.keys(argument_allow).length === 0 || !isJsonObject(properties)) {
    return portableValue(input_schema, input_schema, holes);
  }
  const narrowed = Object.entries(properties).map(([name, schema]) => {
    const allowed = Object.hasOwn(argument_allow, name) ? argument_allow[name] : undefined;
    return [name, allowed === undefined ? schema : { enum: allowed }] as const;
  });
  const narrow = { ...input_schema, properties: Object.fromEntries(narrowed) };
  return portableValue(narrow, narrow, holes);
}

const TEXTS: JsonObject = { type: 'array', items: { type: 'string' } };

const stepOf = (tool: JsonObject, params: JsonObject): JsonObject =>
  closed({
    id: { type: 'string', description: 'a short name of the step, such as s1' },
    tool,
    task_objective: { type: 'string', description: 'what the step is for' },
    params,
    depends_on: TEXTS,
    context_key: orNull({ type: 'string', description: 'the name under which later steps use what it returns' }),
    inputs: TEXTS,
    success_criteria: orNull({ type: 'string' }),
  });
