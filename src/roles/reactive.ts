import type { FaultCode } from '../model/fault.ts';
import { Fault } from '../model/fault.ts';
import type { JsonObject } from '../model/json.ts';
import { jsonAt } from '../model/json-at.ts';
import type { Problem } from '../model/problem.ts';
import { NO_COST, type ToolCost } from '../model/tool.ts';
import type { ForeignModel, LanguageModel, ModelDesk, ModelProfile } from '../ports/language-model.ts';
import type { CheckPlan, PlanAnswer, Planner, PlanRequest } from '../ports/planner.ts';
import { type Conversation, openConversation } from './conversation.ts';
import { mostFor } from './desk/spending.ts';
import { assertKnown } from './known-options.ts';
import { assertModelGiven } from './model-given.ts';
import type { ModelProfiles } from './model-profile.ts';
import type { PromptBuilder } from './prompts/common.ts';
import { feedback } from './prompts/feedback.ts';
import { REACTIVE_TEMPLATE, reactiveInstructions } from './prompts/reactive.ts';
import { reactiveMessages, readingShown, saidBefore } from './prompts/reactive-messages.ts';
import { type Decision, readDecision } from './reactive-answer.ts';
import { decisionSchemas } from './reactive-schema.ts';
import { SPEAKING_TOOLS } from './speaking-tools.ts';

export interface ReactiveOptions {
  /** A model of the AI SDK, or a profile that says how it is used. */
  readonly model: LanguageModel | ForeignModel | ModelProfile;
  /** Steps that a run may have carried out before it goes no further. A hundred, unless this says otherwise. */
  readonly maxSteps?: number;
  /** Other words. What may be done is not a matter of words. */
  readonly prompts?: Pick<PromptBuilder, 'reactiveInstructions'>;
  /** The most input that one decision may take of models. */
  readonly inputTokensMax?: number;
}

/** How often a decision that cannot be carried out is given back with what is wrong, before it is passed on. */
const CORRECTIONS = 2;
/** How often a model may look something up in what was observed, for one decision. */
const READS = 3;
const INPUT_TOKENS = 40_000;
const KNOWN: readonly string[] = ['model', 'maxSteps', 'prompts', 'inputTokensMax'];

/** A planner that decides one step, sees what came of it, and decides again. */
export function reactiveWith(profiles: ModelProfiles): (options: ReactiveOptions) => Planner {
  return (options) => {
    assertKnown('reactive', options, KNOWN);
    assertModelGiven('reactive', 'model', options);
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
      propose: (request, _signal, desk, check) => decide({ profile, prompts }, request, desk, check),
    };
  };
}

function assertWithin(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const message = `reactive: ${name} is a whole number from ${least} to ${most}, not ${String(value)}`;
  throw new Fault('input_invalid', message, { path: `/${name}` });
}

/** An answer, and room for putting it right: corrections and look-ups come out of what was set aside for the decision. */
function costOf(profile: ModelProfile, inputTokens: number): ToolCost {
  const asked = mostFor(profile, inputTokens);
  return { ...asked, output_tokens: 2 * asked.output_tokens, microusd: 2 * asked.microusd };
}

interface Parts {
  readonly profile: ModelProfile;
  readonly prompts: Pick<PromptBuilder, 'reactiveInstructions'>;
}

async function decide(
  { profile, prompts }: Parts,
  request: PlanRequest,
  desk: ModelDesk,
  check: CheckPlan,
): Promise<PlanAnswer> {
  const conversation = openConversation(desk, profile, {
    role: 'planner',
    template: REACTIVE_TEMPLATE,
    system: prompts.reactiveInstructions(request),
    messages: reactiveMessages(request),
    schemas: decisionSchemas(request),
  });
  const talk: Talk = { request, conversation, readsLeft: READS };
  let proposal: JsonObject | null = null;
  for (let correction = 0; correction <= CORRECTIONS; correction += 1) {
    const said = await nextDecision(talk, proposal === null);
    // Nothing more may be asked: what was said last is passed on, wrong as it is.
    if (said === null) break;
    proposal = said.proposal;
    const problems = correctable(said, check);
    if (problems.length === 0) break;
    conversation.add(saidBefore(said.text), { author: 'user', text: feedback(problems) });
  }
  return { proposal, author: 'model', spent: NO_COST, contextTokens: conversation.tokens() };
}

interface Talk {
  readonly request: PlanRequest;
  readonly conversation: Conversation;
  readsLeft: number;
}

interface Said {
  readonly text: string;
  readonly kind: Decision['kind'];
  readonly proposal: JsonObject;
}

/** The next thing that is meant as a decision. On the way to it the model may look things up, so often and not more. */
async function nextDecision(talk: Talk, isFirst: boolean): Promise<Said | null> {
  const { conversation, request } = talk;
  for (;;) {
    const asked = await conversation.ask();
    if (!asked.ok && isFirst) throw asked.fault;
    if (!asked.ok) return null;
    const decision = readDecision(request, asked.json);
    if (decision.kind !== 'read' || talk.readsLeft === 0) return { text: asked.text, ...decision };
    talk.readsLeft -= 1;
    conversation.add(saidBefore(asked.text), readingShown(decision, lookUp(request, decision), talk.readsLeft));
  }
}

/** What a context key holds: the last value that it was filled with, or a part of it. */
function lookUp(
  { done }: PlanRequest,
  { key, path }: Extract<Decision, { readonly kind: 'read' }>,
): ReturnType<typeof jsonAt> {
  const filled = done.findLast(({ step }) => step.context_key === key || step.id === key);
  return filled === undefined ? undefined : jsonAt(filled.value, path);
}

const NO_STEP: Problem = Object.freeze({
  code: 'plan_untyped',
  path: '/steps',
  message: 'no step was decided: decide exactly one',
});

/** What a model can put right by itself: no step, one that is none, an unknown capability, a context key that is not there. */
const CORRECTABLE: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'plan_untyped',
  'hallucinated_capability',
  'invalid_context_key',
]);

function correctable({ kind, proposal }: Said, check: CheckPlan): readonly Problem[] {
  if (kind !== 'step') return [NO_STEP];
  return check(proposal).problems.filter(({ code }) => CORRECTABLE.has(code));
}
