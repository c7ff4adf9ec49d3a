import type { FaultCode } from '../model/fault/fault.ts';
import { isJsonList, isJsonObject } from '../model/json/json.ts';
import type { Problem } from '../model/json/problem.ts';
import { addCost, NO_COST, type ToolCost } from '../model/tool/tool.ts';
import type { ModelClient, ModelProfile, ModelUse } from '../ports/model/language-model.ts';
import type { CheckedPlan, CheckPlan, PlanAnswer, Planner, PlanRequest } from '../ports/model/planner.ts';
import type { ProviderOptions } from '../ports/model/provider-options.ts';
import { fitRequest, fitsInto } from './client/fit-messages.ts';
import { maxCorrectedCost, maxCost } from './client/spending.ts';
import {
  assertKnownOptions,
  assertModel,
  assertWithin,
  type ModelOption,
  type ModelProfiles,
  profileOf,
} from './model-profile.ts';
import { planFrom, unwrapPlan } from './plan-answer.ts';
import { openPlanConversation, planOpening, promptOf } from './plan-conversation.ts';
import { contradictions, replyProblems } from './plan-reply.ts';
import { type PromptBuilder, withInstructions } from './prompts/common.ts';
import { PLANNING_TEMPLATE, planningInstructions, SELECT_TEMPLATE, selectPrompt } from './prompts/planning.ts';
import { SPEAKING_TOOLS } from './speaking-tools.ts';

/**
 * Faults that the planner may correct at once. Unknown or forbidden tools go to the kernel, which counts and records
 * them; so do faults that the critic does not accept twice.
 */
const WRITTEN_WRONG: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'plan_untyped',
  'plan_too_large',
  'input_invalid',
  'json_too_deep',
  'json_too_large',
  'duplicate_step_id',
  'argument_invalid',
  'approval_mode_mismatch',
  'approval_missing',
  'binding_unresolved',
  'binding_type_mismatch',
  'output_invalid',
  'invalid_context_key',
  'unknown_dependency',
  'dependency_cycle',
  'unknown_checkpoint_step',
  'decision_unbound',
  'evidence_missing',
  'condition_unanswered',
]);

/** The problems that go back to the planner without a new plan request; empty if the kernel has to decide. */
function mayMend({ verdict, problems }: CheckedPlan): readonly Problem[] {
  return verdict === 'replan' && problems.every(({ code }) => WRITTEN_WRONG.has(code)) ? problems : [];
}

export interface PlanFirstOptions {
  /** A model of the AI SDK, or a profile that configures its use. */
  readonly model: ModelOption;
  /** Options for the provider of a model without a profile. */
  readonly providerOptions?: ProviderOptions;
  /** Preselects the tools for a task, for agents with many. Default: the planner sees all of them. */
  readonly classifier?: ModelOption;
  /** Replaces the wording of the prompt. It does not change what the run may do. */
  readonly prompts?: Pick<PromptBuilder, 'planningInstructions'>;
  /** How often a malformed plan goes back to the model for correction. Default: 2. */
  readonly repairs?: number;
  /** The most input tokens that one plan may use. */
  readonly inputTokensMax?: number;
}

const REPAIRS = 2;
const REPAIRS_MAX = 5;
const INPUT_TOKENS = 40_000;

/** Creates a planner that plans the complete task before any step runs. */
export function planFirstWith(profiles: ModelProfiles): (options: PlanFirstOptions) => Planner {
  return (options) => {
    assertOptions(options);
    const { model, providerOptions, classifier, prompts = { planningInstructions }, repairs = REPAIRS } = options;
    const inputTokens = options.inputTokensMax ?? INPUT_TOKENS;
    assertWithin('planFirst', 'repairs', repairs, 0, REPAIRS_MAX);
    assertWithin('planFirst', 'inputTokensMax', inputTokens, 1_000, 10_000_000);
    const parts: Parts = {
      profile: profileOf(profiles, 'planFirst', 'model', model, providerOptions),
      classifier: classifier === undefined ? null : profileOf(profiles, 'planFirst', 'classifier', classifier),
      systemText: (request) => withInstructions(prompts.planningInstructions(request), request.instructions),
      repairs,
      inputTokens,
    };
    return {
      planning: 'whole',
      tools: SPEAKING_TOOLS,
      uses: usesOf(parts),
      cost: costOf(parts),
      propose: (request, _signal, client, check) => propose(parts, request, client, check),
    };
  };
}

interface Parts {
  readonly profile: ModelProfile;
  readonly classifier: ModelProfile | null;
  readonly systemText: PromptBuilder['planningInstructions'];
  readonly repairs: number;
  readonly inputTokens: number;
}

const KNOWN: readonly string[] = ['model', 'providerOptions', 'classifier', 'prompts', 'repairs', 'inputTokensMax'];

function assertOptions(options: PlanFirstOptions): void {
  assertKnownOptions('planFirst', options, KNOWN);
  assertModel('planFirst', 'model', options);
}

const label = ({ name, version }: { readonly name: string; readonly version: string }): string => `${name}@${version}`;

function usesOf({ profile, classifier }: Parts): readonly ModelUse[] {
  const planner: ModelUse = { role: 'planner', profile, templates: [label(PLANNING_TEMPLATE)] };
  if (classifier === null) return [planner];
  return [planner, { role: 'classifier', profile: classifier, templates: [label(SELECT_TEMPLATE)] }];
}

/** The amount to reserve for one plan. */
function costOf({ profile, classifier, repairs, inputTokens }: Parts): ToolCost {
  const planned = repairs === 0 ? maxCost(profile, inputTokens) : maxCorrectedCost(profile, inputTokens);
  return classifier === null ? planned : addCost(planned, maxCost(classifier, inputTokens));
}

async function propose(
  parts: Parts,
  unfiltered: PlanRequest,
  client: ModelClient,
  check: CheckPlan,
): Promise<PlanAnswer> {
  const selected = await withSelected(parts, unfiltered, client);
  const request = fitRequest(selected, (each) =>
    fitsInto(client, promptOf(planOpening(parts.systemText(each), each)), parts.inputTokens),
  );
  const conversation = openPlanConversation(parts.profile, parts.systemText(request), request, client);
  let answer = await conversation.ask();
  let proposal = planFrom(answer.json, request);
  for (let repair = 0; repair < parts.repairs; repair += 1) {
    const problems = answer.unread ?? [
      ...(repair === 0 ? contradictions(unwrapPlan(answer.json)) : []),
      ...replyProblems(proposal, request),
      ...mayMend(check(proposal)),
    ];
    if (problems.length === 0) break;
    const again = await conversation.again(answer.text, problems);
    if (again === null) break;
    answer = again;
    proposal = planFrom(answer.json, request);
  }
  return { proposal, author: 'model', spent: NO_COST, contextTokens: conversation.tokens() };
}

/**
 * Reduces the tools to those that the classifier names, plus `respond` and `clarify`. If it names none, all tools stay.
 */
async function withSelected(
  { classifier, inputTokens }: Parts,
  request: PlanRequest,
  client: ModelClient,
): Promise<PlanRequest> {
  if (classifier === null) return request;
  const shown = fitRequest(request, (each) => fitsInto(client, selectPrompt(each), inputTokens));
  const asked = await client.ask(classifier, selectPrompt(shown));
  const named = asked.ok && isJsonObject(asked.json) ? asked.json['capabilities'] : undefined;
  const names = new Set(isJsonList(named) ? named : []);
  const tools = request.tools.filter(({ name, speaks }) => speaks !== undefined || names.has(name));
  return tools.every(({ speaks }) => speaks !== undefined) ? request : { ...request, tools };
}
