import type { Json } from '../../model/json/json.ts';
import { isMetByAnswer } from '../../model/plan/goal.ts';
import type { ReactMessage } from '../../model/plan/react-message.ts';
import type { ModelPrompt, PromptMessage } from '../../ports/model/language-model.ts';
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
  outputSection,
  replyRules,
  type Section,
  section,
  sections,
  taskSection,
  userMessage,
} from './common.ts';
import { quote } from './quote.ts';

export const REACTIVE_TEMPLATE: ModelPrompt['template'] = Object.freeze({ name: 'reactive', version: '3' });

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
    section(
      'How it ends',
      ...ENDING,
      ...partsRule(request),
      ...(request.mayAnswer ? [ANSWERING] : []),
      ...replyRules(request),
    ),
    section('Values', BINDING_RULE, ...(request.mayDraft === true ? [DRAFT_RULE] : []), READING),
    section('Data', DATA_RULE),
    taskSection(request),
    outputSection(
      request,
      'Together with respond, put the output of the task into "output": a value of the schema below.',
    ),
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

/** Without criteria of the agent, `respond` is the only sign that the request is answered. */
const partsRule = ({ goal }: PlanRequest): readonly string[] =>
  goal.acceptance_criteria.some(isMetByAnswer) ? [PARTS] : [];

const PARTS =
  'The run ends when you decide respond, not before. If the request has several parts, observe what answers each of them first, and name all their context keys under "inputs" of respond.';

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

/** The length of a recent message, of an older one, and of all recent ones together, in characters. */
const SHOWN_CHARS = 4_000;
const SHORT_CHARS = 120;
const RECENT_CHARS = 24_000;

/** The history as a conversation: decisions as messages of the assistant, observations as messages of the user. */
export function reactiveMessages(request: PlanRequest): readonly PromptMessage[] {
  const opening = userMessage(`Task: ${quote(request.goal.statement)}`);
  return [opening, ...shownHistory(request.history), userMessage(nextDecision(request))];
}

/** Truncates older messages, so that a long run still fits. The model can look up the rest with `read`. */
function shownHistory(history: readonly ReactMessage[]): readonly PromptMessage[] {
  let charsLeft = RECENT_CHARS;
  return history
    .toReversed()
    .map((message) => {
      const shownMessage = messageOf(message, charsLeft > 0 ? SHOWN_CHARS : SHORT_CHARS);
      charsLeft -= shownMessage.text.length;
      return shownMessage;
    })
    .toReversed();
}

function messageOf(message: ReactMessage, most: number): PromptMessage {
  const shown = (value: Json): string => quote(value, most);
  if (message.kind === 'decision') {
    const { step, draft } = message;
    return {
      author: 'assistant',
      text: shown({ steps: [step], ...(draft === undefined ? {} : { draft }) } as unknown as Json),
    };
  }
  const { step_id, tool, outcome, value, detail, trusted } = message;
  const source = `step ${step_id} (${tool}${trusted ? '' : ', not trusted'})`;
  if (outcome === 'ok') return userMessage(`Observation of ${source}: ${shown(value)}`);
  return userMessage(`Error: ${source} failed with ${outcome}: ${shown(detail)}`);
}

/** The last message: the request to decide, with the reason if there is one. */
function nextDecision({ reason }: PlanRequest): string {
  if (reason === null) return 'Decide the first step.';
  const { code, step_id, message, detail } = reason;
  return `Decide the next step. ${asReason(code)}: ${shown({ code, step_id, message, detail })}`;
}

const asReason = (code: string): string => (code === 'criteria_unmet' ? 'Not done yet' : 'What went wrong');

/** The answer to a `read` of a context key. */
export function readAnswer(
  { key, path }: { readonly key: string; readonly path: string },
  found: Json | undefined,
  readsLeft: number,
): PromptMessage {
  const place = `${quote(key.toWellFormed())} at ${quote(path.toWellFormed())}`;
  const text = found === undefined ? `Nothing is at ${place}.` : `What ${place} holds: ${shown(found)}`;
  const rule = readsLeft > 0 ? `You may read ${readsLeft} more.` : 'You may read no more: decide a step.';
  return userMessage(`${text}\n${rule}`);
}

/** An earlier answer of the model, truncated. */
export const assistantMessage = (text: string): PromptMessage => ({
  author: 'assistant',
  text: cut(text, SHOWN_CHARS),
});

const shown = (value: Json): string => quote(value, SHOWN_CHARS);

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()}… (${text.length - most} more characters)`;
