import type { ModelPrompt } from '../../ports/model/language-model.ts';
import type { DoneStep, PlanRequest } from '../../ports/model/planner.ts';
import {
  BINDING_RULE,
  budgetSection,
  capabilitiesSection,
  contextSection,
  DATA_RULE,
  DRAFT_RULE,
  decisionsSection,
  digestSection,
  doneSection,
  notesSection,
  type Section,
  section,
  sections,
  taskSection,
} from './common.ts';

export const REACTIVE_TEMPLATE: ModelPrompt['template'] = Object.freeze({ name: 'reactive', version: '1' });

const ROLE = [
  'You decide the next step of a task, and only the next. Somebody else checks it, carries it out and shows you what came of it; then you decide again.',
  'Decide exactly one step. Of several only the first is taken.',
  'Use only the capabilities listed below, by their exact names, with arguments that fit what they take.',
  'Decide by what was observed, never by what you expect to be observed. When a step has failed you may try it in another way, take another capability, do without it, or respond.',
  'What a capability needs of earlier results is filled in by itself, with the latest of each type. Name a context key under "inputs" only to choose another one.',
  'Answer with one JSON object and nothing else.',
];

const ENDING = [
  'As soon as everything the task asks for has been observed, decide respond. Whether the task is done is checked against what was observed, so nothing is won by saying so early.',
  'Decide clarify only for what the user alone can know.',
];

/** The instructions for the next step: the rules, and everything that this run may use and knows. */
export function reactiveInstructions(request: PlanRequest): string {
  return sections(
    section('Your part', ...ROLE),
    section('How it ends', ...ENDING, ...(request.mayAnswer ? [ANSWERING] : [])),
    section('Values', BINDING_RULE, ...(request.mayDraft === true ? [DRAFT_RULE] : []), READING),
    section('Data', DATA_RULE),
    taskSection(request),
    capabilitiesSection(request),
    decisionsSection(request, CHECKPOINT_RULE),
    contextSection(request),
    digestSection(request),
    notesSection(request),
    doneSection({ ...request, done: request.done.filter(isNotShown(request)) }),
    keysSection(request),
    budgetSection(request),
  );
}

const ANSWERING = 'This task may also be answered by you alone: put the answer into "answer" and decide no step.';

/** Differs from the rule for complete plans, because the governed tool comes with a later decision. */
const CHECKPOINT_RULE =
  'These tools run only once their decision is taken. It is taken after a step: decide the step that completes its evidence together with a checkpoint of the decision after that very step, and the tool after that. Where that step is done and the checkpoint was left out, decide the step once more, with it.';

const READING =
  'Long observations are shown in part. To see more of what a context key holds before you decide, put the key and a JSON Pointer into "read" and decide no step. This works a few times for each decision.';

/** Selects finished steps that a compression removed from the history. Listed, so that they are not repeated. */
function isNotShown({ history }: PlanRequest): (done: DoneStep) => boolean {
  const shownSteps = new Set(history.flatMap((message) => (message.kind === 'observation' ? [message.step_id] : [])));
  return ({ step }) => !shownSteps.has(step.id);
}

/** The filled context keys, each with its step and evidence types. */
function keysSection({ done, tools }: PlanRequest): Section {
  const produced = new Map(tools.map(({ name, produces }) => [name, produces]));
  const keys = done.flatMap(({ step: { id, context_key, tool } }) => {
    if (context_key === undefined) return [];
    const types = produced.get(tool) ?? [];
    const holds = types.length === 0 ? '' : `, holds ${types.join(', ')}`;
    return [`- ${context_key}: filled by step ${id} (${tool})${holds}`];
  });
  return section('Context keys', ...(keys.length === 0 ? ['None is filled yet.'] : keys));
}
