import type { ModelPrompt } from '../../ports/model/language-model.ts';
import type { PlanRequest } from '../../ports/model/planner.ts';
import { asData, contextSection, DATA_RULE, reasonSection, section, sections, taskSection } from './common.ts';

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
      section('Capabilities', ...request.tools.map(({ name, description }) => `- ${name}: ${asData(description)}`)),
      contextSection(request),
      reasonSection(request),
      section('Answer', 'With JSON: the names, and rather one too many than one too few.'),
    ),
    messages: [{ author: 'user', text: taskSection(request) ?? '' }],
    schema: {
      name: 'capabilities',
      json: {
        type: 'object',
        properties: { capabilities: { type: 'array', items: { type: 'string', enum: names } } },
        required: ['capabilities'],
        additionalProperties: false,
      },
    },
  };
}
