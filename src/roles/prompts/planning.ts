import type { ModelPrompt } from '../../ports/model/language-model.ts';
import type { PlanRequest } from '../../ports/model/planner.ts';
import { closed } from '../schema/portable.ts';
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
  reasonSection,
  replyRules,
  section,
  sections,
  taskSection,
} from './common.ts';
import { quote } from './quote.ts';

export const PLANNING_TEMPLATE = { name: 'plan_first', version: '3' } as const;

/** The instructions for a complete plan: tools, context, remaining budget, and the fault of the last plan. */
export function planningInstructions(request: PlanRequest): string {
  return sections(
    'You plan the whole of a task as a list of steps. You carry nothing out: your plan is checked, and only then its steps are run, exactly as you wrote them.',
    DATA_RULE,
    section(
      'Rules',
      '- Use only the capabilities below, under their exact names, with arguments that fit what they take.',
      '- Plan as few steps as the task needs, in the order in which they run, each with an id of its own.',
      `- ${BINDING_RULE}`,
      ...(request.mayDraft === true ? [`- ${DRAFT_RULE}`] : []),
      '- Do not plan again what is done already; bind to what it returned.',
      '- End with respond, which tells the user, or with clarify, which asks. Ask only for what nothing else can tell.',
      ...(request.mayAnswer ? ['- A task that needs no capability may be answered in "answer", without steps.'] : []),
      ...replyRules(request).map((rule) => `- ${rule}`),
      '- Answer with the plan as one JSON object and nothing else.',
    ),
    outputSection(request, 'Put the output of the task into "output" of the plan: a value of the schema below.'),
    capabilitiesSection(request),
    decisionsSection(request, CHECKPOINT_RULE),
    contextSection(request),
    digestSection(request),
    notesSection(request),
    doneSection(request),
    budgetSection(request),
    reasonSection(request),
  );
}

const CHECKPOINT_RULE =
  'These tools run only behind a checkpoint of their decision: put one after the step that completes the evidence, and let the tool depend on that step.';

export const SELECT_TEMPLATE = { name: 'select_capabilities', version: '1' } as const;

/** Asks which tools a task needs, before it is planned. */
export function selectPrompt(request: PlanRequest): ModelPrompt {
  const names = request.tools.map(({ name }) => name);
  return {
    role: 'classifier',
    template: SELECT_TEMPLATE,
    system: sections(
      'You say which of the listed capabilities a task may need. You do not plan and you add none.',
      DATA_RULE,
      section('Capabilities', ...request.tools.map(({ name, description }) => `- ${name}: ${quote(description)}`)),
      contextSection(request),
      reasonSection(request),
      section('Answer', 'With JSON: the names, and rather one too many than one too few.'),
    ),
    messages: [{ author: 'user', text: taskSection(request) ?? '' }],
    schema: {
      name: 'capabilities',
      json: closed({ capabilities: { type: 'array', items: { type: 'string', enum: names } } }),
    },
  };
}
