import type { FaultCode } from '../model/fault/fault.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../model/json/json.ts';
import { jsonAt } from '../model/json/json-at.ts';
import type { Problem } from '../model/json/problem.ts';
import { NO_COST } from '../model/tool/tool.ts';
import type { ModelClient, ModelProfile } from '../ports/model/language-model.ts';
import type { CheckPlan, PlanAnswer, Planner, PlanRequest } from '../ports/model/planner.ts';
import type { ProviderOptions } from '../ports/model/provider-options.ts';
import { fitRequest, fitsInto } from './client/fit-messages.ts';
import { maxCorrectedCost } from './client/spending.ts';
import {
  assertKnownOptions,
  assertModel,
  assertWithin,
  type ModelOption,
  type ModelProfiles,
  profileOf,
} from './model-profile.ts';
import { draftFrom, outputFrom, stepFrom, unwrapPlan } from './plan-answer.ts';
import { type Conversation, type Opening, openConversation, promptOf } from './plan-conversation.ts';
import { contradictions, directEnd, draftText, refusalIn, replyProblems } from './plan-reply.ts';
import { type PlanSchema, planSchemas } from './plan-schema.ts';
import { feedback, type PromptBuilder, withInstructions } from './prompts/common.ts';
import {
  assistantMessage,
  REACTIVE_TEMPLATE,
  reactiveInstructions,
  reactiveMessages,
  readAnswer,
} from './prompts/reactive.ts';
import { closed, orNull } from './schema/portable.ts';
import { respond, SPEAKING_TOOLS } from './speaking-tools.ts';

const READING: JsonObject = closed({
  key: { type: 'string', description: 'a context key' },
  path: { type: 'string', description: 'JSON Pointer into what it holds; empty for all of it' },
});

/** The schemas of a decision: plan schemas, with `read` if there is something to look up. */
function decisionSchemas(request: PlanRequest): readonly PlanSchema[] {
  const schemas = planSchemas(request);
  return request.done.length === 0 ? schemas : schemas.map(withReading);
}

function withReading({ name, json }: PlanSchema): PlanSchema {
  const { properties, required } = json;
  if (!isJsonObject(properties) || !isJsonList(required)) return { name, json };
  const read = { ...properties, read: orNull({ ...READING, description: 'instead of a step' }) };
  return { name, json: { ...json, properties: read, required: [...required, 'read'] } };
}

export interface ReactiveOptions {
  /** A model of the AI SDK, or a profile that configures its use. */
  readonly model: ModelOption;
  /** Options for the provider of a model without a profile. */
  readonly providerOptions?: ProviderOptions;
  /** The most steps that a run may carry out. Default: 100. */
  readonly maxSteps?: number;
  /** Replaces the wording of the prompt. It does not change what the run may do. */
  readonly prompts?: Pick<PromptBuilder, 'reactiveInstructions'>;
  /** The most input tokens that one decision may use. */
  readonly inputTokensMax?: number;
}

/** How often an invalid decision goes back to the model for correction before it is passed on. */
const CORRECTIONS = 2;
/** How often a model may look up an observation for one decision. */
const READS = 3;
const INPUT_TOKENS = 40_000;
const KNOWN: readonly string[] = ['model', 'providerOptions', 'maxSteps', 'prompts', 'inputTokensMax'];

/** Creates a planner that decides one step, sees its result, and decides again. */
export function reactiveWith(profiles: ModelProfiles): (options: ReactiveOptions) => Planner {
  return (options) => {
    assertKnownOptions('reactive', options, KNOWN);
    assertModel('reactive', 'model', options);
    const { model, maxSteps, prompts = { reactiveInstructions }, inputTokensMax = INPUT_TOKENS } = options;
    assertWithin('reactive', 'maxSteps', maxSteps ?? 1, 1, 10_000);
    assertWithin('reactive', 'inputTokensMax', inputTokensMax, 1_000, 10_000_000);
    const profile = profileOf(profiles, 'reactive', 'model', model, options.providerOptions);
    const { name, version } = REACTIVE_TEMPLATE;
    return {
      planning: 'stepwise',
      ...(maxSteps === undefined ? {} : { stepsMax: maxSteps }),
      tools: SPEAKING_TOOLS,
      uses: [{ role: 'planner', profile, templates: [`${name}@${version}`] }],
      // Look-ups are paid from the same amount.
      cost: maxCorrectedCost(profile, inputTokensMax),
      propose: (request, _signal, client, check) => decide({ profile, prompts }, request, client, check),
    };
  };
}

interface Parts {
  readonly profile: ModelProfile;
  readonly prompts: Pick<PromptBuilder, 'reactiveInstructions'>;
}

async function decide(
  { profile, prompts }: Parts,
  complete: PlanRequest,
  client: ModelClient,
  check: CheckPlan,
): Promise<PlanAnswer> {
  const openingOf = (request: PlanRequest): Opening => ({
    role: 'planner',
    template: REACTIVE_TEMPLATE,
    system: withInstructions(prompts.reactiveInstructions(request), request.instructions),
    messages: reactiveMessages(request),
    schemas: decisionSchemas(request),
  });
  const request = fitRequest(complete, (each) => fitsInto(client, promptOf(openingOf(each))));
  const conversation = openConversation(client, profile, openingOf(request));
  const state: DecisionState = { request, conversation, readsLeft: READS };
  let proposal: JsonObject | null = null;
  for (let correction = 0; correction <= CORRECTIONS; correction += 1) {
    const answer = await nextDecision(state, proposal === null);
    // No further question is possible, so the last decision is passed on uncorrected.
    if (answer === null) break;
    proposal = answer.proposal;
    const problems = correctable(answer, request, check, correction === 0);
    if (problems.length === 0) break;
    conversation.add(assistantMessage(answer.text), { author: 'user', text: feedback(problems) });
  }
  return { proposal, author: 'model', spent: NO_COST, contextTokens: conversation.tokens() };
}

interface DecisionState {
  readonly request: PlanRequest;
  readonly conversation: Conversation;
  readsLeft: number;
}

interface DecisionAnswer {
  readonly text: string;
  readonly kind: ReactiveDecision['kind'];
  readonly proposal: JsonObject;
  /** The plan that the model wrote; null for an answer without one. */
  readonly plan: JsonObject | null;
}

/** Asks until the model decides. Before that it may look up observations, up to its limit. */
async function nextDecision(state: DecisionState, isFirst: boolean): Promise<DecisionAnswer | null> {
  const { conversation, request } = state;
  for (;;) {
    const asked = await conversation.ask();
    if (!asked.ok && isFirst) throw asked.fault;
    if (!asked.ok) return null;
    const plan = asked.json === undefined ? refusalIn(asked.text, request) : writtenPlan(asked.json);
    const decision = readDecision(request, asked.json, plan);
    if (decision.kind !== 'read' || state.readsLeft === 0) return { text: asked.text, plan, ...decision };
    state.readsLeft -= 1;
    conversation.add(assistantMessage(asked.text), readAnswer(decision, lookUp(request, decision), state.readsLeft));
  }
}

/** The last value of a context key, or the part of it at `path`. */
function lookUp(
  { done }: PlanRequest,
  { key, path }: Extract<ReactiveDecision, { readonly kind: 'read' }>,
): ReturnType<typeof jsonAt> {
  const filled = done.findLast(({ step }) => step.context_key === key || step.id === key);
  return filled === undefined ? undefined : jsonAt(filled.value, path);
}

const NO_STEP: Problem = Object.freeze({
  code: 'plan_untyped',
  path: '/steps',
  message: 'no step was decided: decide exactly one',
});

/** Faults that the model can correct itself: no or a malformed step, an unknown tool or context key, no output. */
const CORRECTABLE: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'plan_untyped',
  'hallucinated_capability',
  'invalid_context_key',
  'output_invalid',
]);

function correctable(
  { kind, proposal, plan }: DecisionAnswer,
  request: PlanRequest,
  check: CheckPlan,
  isFirst: boolean,
): readonly Problem[] {
  if (kind !== 'step') return [NO_STEP];
  return [
    ...(isFirst ? contradictions(plan) : []),
    ...replyProblems(proposal, request),
    ...check(proposal).problems.filter(({ code }) => CORRECTABLE.has(code)),
  ];
}

/** A model's decision about the next step. A decision without a step is proposed as an empty plan. */
type ReactiveDecision =
  | { readonly kind: 'step' | 'none'; readonly proposal: JsonObject }
  | { readonly kind: 'read'; readonly proposal: JsonObject; readonly key: string; readonly path: string };

/** The plan in an answer: a plan with one step, a list of steps or a bare step. */
const writtenPlan = (response: Json): JsonObject | null => unwrapPlan(response) ?? bareStep(response);

function readDecision(request: PlanRequest, response: Json | undefined, plan: JsonObject | null): ReactiveDecision {
  const steps = plan?.['steps'];
  const [first, ...others] = isJsonList(steps) ? steps : [];
  const number = request.history.filter(({ kind }) => kind === 'decision').length + 1;
  const named = { plan_id: `decision_${number}`, intent: request.goal.intent };
  const nothing = { ...named, steps: [], decision_checkpoints: [] };
  const ended = plan === null ? null : directEnd(plan, request);
  // Prose stands for a refusal only if the model gives no plan when it is asked again.
  if (ended !== null) return { kind: response === undefined ? 'none' : 'step', proposal: { ...nothing, ...ended } };
  if (first !== undefined && plan !== null) {
    const id = `r${number}`;
    // Extra steps stay in the proposal, so that the journal shows that they were not taken.
    const taken = [identified(request, first, id), ...others];
    const draft = draftFrom(draftText({ answer: plan['answer'] ?? plan['text'] ?? null }));
    const decided = { ...named, steps: taken, decision_checkpoints: checkpoints(plan, first, id), ...draft };
    return { kind: 'step', proposal: { ...decided, ...outputOf(request, plan, first) } };
  }
  const { draft } = draftFrom(draftText({ answer: plan?.['answer'] ?? null }));
  if (draft !== undefined) {
    const claimed = request.done.length === 0 ? { ...nothing, answer: draft } : endingWith(request, number, draft);
    return { kind: 'step', proposal: { ...named, ...claimed } };
  }
  const wanted = isJsonObject(response) ? response['read'] : undefined;
  const { key, path = '' } = isJsonObject(wanted) ? wanted : {};
  if (typeof key !== 'string' || typeof path !== 'string') return { kind: 'none', proposal: nothing };
  return { kind: 'read', proposal: nothing, key, path };
}

/** A model that writes its answer after an observation proposes the end, and its text is a draft. */
const endingWith = ({ goal }: PlanRequest, number: number, draft: string): JsonObject => {
  const objective = goal.statement.slice(0, 1_000).toWellFormed();
  const id = `r${number}`;
  const step = { id, context_key: id, tool: 'respond', task_objective: objective, params: { objective } };
  return { steps: [step], decision_checkpoints: [], draft };
};

const bareStep = (response: Json): JsonObject | null =>
  isJsonObject(response) && (Object.hasOwn(response, 'tool') || Object.hasOwn(response, 'capability'))
    ? { steps: [withoutText(response)], answer: response['answer'] ?? response['text'] ?? null }
    : null;

const withoutText = ({ answer: _answer, text: _text, ...step }: JsonObject): JsonObject => step;

/** Gives a step its number as id and default context key, regardless of the name that the model chose. */
function identified(request: PlanRequest, response: Json, id: string): Json {
  const step = stepFrom(response, request);
  if (!isJsonObject(step)) return step;
  const { params } = step;
  const bound = params === undefined ? {} : { params: boundToSteps(params, fillers(request)) };
  return { context_key: id, ...step, ...bound, id };
}

/** The output of a decision that ends the run. An output before the end would be replaced. */
function outputOf(request: PlanRequest, plan: JsonObject, first: Json): { readonly output?: Json } {
  const tool = isJsonObject(first) ? (first['tool'] ?? first['capability']) : undefined;
  if (typeof tool !== 'string' || tool.toLowerCase() !== respond.spec.name) return {};
  const { output } = outputFrom(plan['output'], request);
  return output === undefined ? {} : { output: boundToSteps(output, fillers(request)) };
}

/** The decision checkpoints, moved from the model's name of the step to its id. */
function checkpoints(plan: JsonObject, first: Json, id: string): Json {
  const named = plan['decision_checkpoints'];
  const called = isJsonObject(first) ? (first['id'] ?? first['context_key']) : undefined;
  if (!isJsonList(named)) return named ?? [];
  return named.map((checkpoint) =>
    isJsonObject(checkpoint) && checkpoint['after_step'] === called ? { ...checkpoint, after_step: id } : checkpoint,
  );
}

/** Maps each context key to the step that filled it last, so that bindings to a key become bindings to a step. */
function fillers({ done }: PlanRequest): ReadonlyMap<string, string> {
  const filled = done.flatMap(({ step: { id, context_key } }) =>
    context_key === undefined ? [] : [[context_key, id] as const],
  );
  const ids = new Set(done.map(({ step }) => step.id));
  return new Map(filled.filter(([key]) => !ids.has(key)));
}

function boundToSteps(value: Json, filledBy: ReadonlyMap<string, string>): Json {
  if (isJsonList(value)) return value.map((item) => boundToSteps(item, filledBy));
  if (!isJsonObject(value)) return value;
  const source = value['$from'];
  if (source === undefined) {
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, boundToSteps(child, filledBy)]));
  }
  const filler = typeof source === 'string' ? filledBy.get(source) : undefined;
  return filler === undefined ? value : { ...value, $from: filler };
}
