import { Fault, type FaultCode } from '../model/fault/fault.ts';
import { isJsonList, isJsonObject, type JsonObject } from '../model/json/json.ts';
import { jsonAt } from '../model/json/json-at.ts';
import type { Problem } from '../model/json/problem.ts';
import { NO_COST, type ToolCost } from '../model/tool/tool.ts';
import type { ForeignModel, LanguageModel, ModelClient, ModelProfile } from '../ports/model/language-model.ts';
import type { CheckPlan, PlanAnswer, Planner, PlanRequest } from '../ports/model/planner.ts';
import { assertKnownOptions, assertModel } from './check-options.ts';
import { maxCost } from './client/spending.ts';
import type { ModelProfiles } from './model-profile.ts';
import { type Conversation, openConversation } from './plan-conversation.ts';
import { type PlanSchema, planSchemas } from './plan-schema.ts';
import type { PromptBuilder } from './prompts/common.ts';
import { feedback } from './prompts/feedback.ts';
import { REACTIVE_TEMPLATE, reactiveInstructions } from './prompts/reactive.ts';
import { assistantMessage, reactiveMessages, readAnswer } from './prompts/reactive-messages.ts';
import { type ReactiveDecision, readDecision } from './reactive-answer.ts';
import { closed, orNull } from './schema/portable.ts';
import { SPEAKING_TOOLS } from './speaking-tools.ts';

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
  readonly model: LanguageModel | ForeignModel | ModelProfile;
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
const KNOWN: readonly string[] = ['model', 'maxSteps', 'prompts', 'inputTokensMax'];

/** Creates a planner that decides one step, sees its result, and decides again. */
export function reactiveWith(profiles: ModelProfiles): (options: ReactiveOptions) => Planner {
  return (options) => {
    assertKnownOptions('reactive', options, KNOWN);
    assertModel('reactive', 'model', options);
    const { model, maxSteps, prompts = { reactiveInstructions }, inputTokensMax = INPUT_TOKENS } = options;
    assertWithin('maxSteps', maxSteps ?? 1, 1, 10_000);
    assertWithin('inputTokensMax', inputTokensMax, 1_000, 10_000_000);
    const profile = 'parameters' in model ? model : profiles(model);
    const { name, version } = REACTIVE_TEMPLATE;
    return {
      planning: 'stepwise',
      ...(maxSteps === undefined ? {} : { stepsMax: maxSteps }),
      tools: SPEAKING_TOOLS,
      uses: [{ role: 'planner', profile, templates: [`${name}@${version}`] }],
      cost: costOf(profile, inputTokensMax),
      propose: (request, _signal, client, check) => decide({ profile, prompts }, request, client, check),
    };
  };
}

function assertWithin(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const message = `reactive: ${name} is a whole number from ${least} to ${most}, not ${String(value)}`;
  throw new Fault('input_invalid', message, { path: `/${name}` });
}

/** The amount to reserve for one decision. Corrections and look-ups are paid from it. */
function costOf(profile: ModelProfile, inputTokens: number): ToolCost {
  const asked = maxCost(profile, inputTokens);
  return { ...asked, output_tokens: 2 * asked.output_tokens, microusd: 2 * asked.microusd };
}

interface Parts {
  readonly profile: ModelProfile;
  readonly prompts: Pick<PromptBuilder, 'reactiveInstructions'>;
}

async function decide(
  { profile, prompts }: Parts,
  request: PlanRequest,
  client: ModelClient,
  check: CheckPlan,
): Promise<PlanAnswer> {
  const conversation = openConversation(client, profile, {
    role: 'planner',
    template: REACTIVE_TEMPLATE,
    system: prompts.reactiveInstructions(request),
    messages: reactiveMessages(request),
    schemas: decisionSchemas(request),
  });
  const state: DecisionState = { request, conversation, readsLeft: READS };
  let proposal: JsonObject | null = null;
  for (let correction = 0; correction <= CORRECTIONS; correction += 1) {
    const answer = await nextDecision(state, proposal === null);
    // No further question is possible, so the last decision is passed on uncorrected.
    if (answer === null) break;
    proposal = answer.proposal;
    const problems = correctable(answer, check);
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
}

/** Asks until the model decides. Before that it may look up observations, up to its limit. */
async function nextDecision(state: DecisionState, isFirst: boolean): Promise<DecisionAnswer | null> {
  const { conversation, request } = state;
  for (;;) {
    const asked = await conversation.ask();
    if (!asked.ok && isFirst) throw asked.fault;
    if (!asked.ok) return null;
    const decision = readDecision(request, asked.json);
    if (decision.kind !== 'read' || state.readsLeft === 0) return { text: asked.text, ...decision };
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

/** Faults that the model can correct itself: no or a malformed step, an unknown tool, an unknown context key. */
const CORRECTABLE: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'plan_untyped',
  'hallucinated_capability',
  'invalid_context_key',
]);

function correctable({ kind, proposal }: DecisionAnswer, check: CheckPlan): readonly Problem[] {
  if (kind !== 'step') return [NO_STEP];
  return check(proposal).problems.filter(({ code }) => CORRECTABLE.has(code));
}
