import { Fault } from '../model/fault.ts';
import { isJsonList, isJsonObject } from '../model/json.ts';
import { addCost, NO_COST, type ToolCost } from '../model/tool.ts';
import type { ForeignModel, LanguageModel, ModelDesk, ModelProfile, ModelUse } from '../ports/language-model.ts';
import type { CheckPlan, PlanAnswer, Planner, PlanRequest } from '../ports/planner.ts';
import { mostFor } from './desk/spending.ts';
import { assertKnown } from './known-options.ts';
import { assertModelGiven } from './model-given.ts';
import type { ModelProfiles } from './model-profile.ts';
import { planFrom } from './plan-answer.ts';
import { openPlanConversation } from './plan-conversation.ts';
import type { PromptBuilder } from './prompts/common.ts';
import { PLANNING_TEMPLATE, planningInstructions } from './prompts/planning.ts';
import { SELECT_TEMPLATE, selectPrompt } from './prompts/select.ts';
import { mayMend } from './repairable.ts';
import { SPEAKING_TOOLS } from './speaking-tools.ts';

export interface PlanFirstOptions {
  /** A model of the AI SDK, or a profile that says how it is used. */
  readonly model: LanguageModel | ForeignModel | ModelProfile;
  /** Says beforehand which capabilities a task may need, for agents that have many. Left out, all are shown. */
  readonly classifier?: LanguageModel | ForeignModel | ModelProfile;
  /** Other words. What may be done is not a matter of words. */
  readonly prompts?: Pick<PromptBuilder, 'planningInstructions'>;
  /** How often an answer that is only written wrong is given back, with what is wrong. Two, unless this says otherwise. */
  readonly repairs?: number;
  /** The most input that one plan may take of models. */
  readonly inputTokensMax?: number;
}

const REPAIRS = 2;
const REPAIRS_MAX = 5;
const INPUT_TOKENS = 40_000;

/** A planner that lays out the whole work before any of it is done. */
export function planFirstWith(profiles: ModelProfiles): (options: PlanFirstOptions) => Planner {
  const profileOf = (model: PlanFirstOptions['model']): ModelProfile =>
    'parameters' in model ? model : profiles(model);
  return (options) => {
    assertOptions(options);
    const { model, classifier, prompts = { planningInstructions }, repairs = REPAIRS } = options;
    const inputTokens = options.inputTokensMax ?? INPUT_TOKENS;
    assertWithin('repairs', repairs, 0, REPAIRS_MAX);
    assertWithin('inputTokensMax', inputTokens, 1_000, 10_000_000);
    const parts: Parts = {
      profile: profileOf(model),
      classifier: classifier === undefined ? null : profileOf(classifier),
      instructions: (request) => prompts.planningInstructions(request),
      repairs,
    };
    return {
      planning: 'whole',
      tools: SPEAKING_TOOLS,
      uses: usesOf(parts),
      cost: costOf(parts, inputTokens),
      propose: (request, _signal, desk, check) => propose(parts, request, desk, check),
    };
  };
}

interface Parts {
  readonly profile: ModelProfile;
  readonly classifier: ModelProfile | null;
  readonly instructions: PromptBuilder['planningInstructions'];
  readonly repairs: number;
}

const KNOWN: readonly string[] = ['model', 'classifier', 'prompts', 'repairs', 'inputTokensMax'];

function assertOptions(options: PlanFirstOptions): void {
  assertKnown('planFirst', options, KNOWN);
  assertModelGiven('planFirst', 'model', options);
  if (options.classifier !== undefined) assertModelGiven('planFirst', 'classifier', options);
}

function assertWithin(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const message = `planFirst: ${name} is a whole number from ${least} to ${most}, not ${String(value)}`;
  throw new Fault('input_invalid', message, { path: `/${name}` });
}

const label = ({ name, version }: { readonly name: string; readonly version: string }): string => `${name}@${version}`;

function usesOf({ profile, classifier }: Parts): readonly ModelUse[] {
  const planner: ModelUse = { role: 'planner', profile, templates: [label(PLANNING_TEMPLATE)] };
  if (classifier === null) return [planner];
  return [planner, { role: 'classifier', profile: classifier, templates: [label(SELECT_TEMPLATE)] }];
}

/** An answer, and room for putting it right; both come out of the same, so that no plan takes more than was set aside. */
function costOf({ profile, classifier, repairs }: Parts, inputTokens: number): ToolCost {
  const asked = mostFor(profile, inputTokens);
  const again = repairs === 0 ? NO_COST : { ...asked, input_tokens: 0 };
  const selected = classifier === null ? NO_COST : mostFor(classifier, inputTokens);
  return addCost(addCost(asked, again), selected);
}

async function propose(parts: Parts, whole: PlanRequest, desk: ModelDesk, check: CheckPlan): Promise<PlanAnswer> {
  const request = await withSelected(parts, whole, desk);
  const conversation = openPlanConversation(parts.profile, parts.instructions(request), request, desk);
  let said = await conversation.ask();
  let proposal = planFrom(said.json, request);
  for (let repair = 0; repair < parts.repairs; repair += 1) {
    const problems = said.unread ?? mayMend(check(proposal));
    if (problems.length === 0) break;
    const again = await conversation.again(said.text, problems);
    if (again === null) break;
    said = again;
    proposal = planFrom(said.json, request);
  }
  return { proposal, author: 'model', spent: NO_COST, contextTokens: conversation.tokens() };
}

/** The capabilities that the classifier names, and those that speak. One that names none has not helped. */
async function withSelected({ classifier }: Parts, request: PlanRequest, desk: ModelDesk): Promise<PlanRequest> {
  if (classifier === null) return request;
  const asked = await desk.ask(classifier, selectPrompt(request));
  const named = asked.ok && isJsonObject(asked.json) ? asked.json['capabilities'] : undefined;
  const names = new Set(isJsonList(named) ? named : []);
  const tools = request.tools.filter(({ name, speaks }) => speaks !== undefined || names.has(name));
  return tools.every(({ speaks }) => speaks !== undefined) ? request : { ...request, tools };
}
