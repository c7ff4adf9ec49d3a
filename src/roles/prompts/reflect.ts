import type { JsonObject } from '../../model/json/json.ts';
import type { ModelPrompt } from '../../ports/model/language-model.ts';
import type { ReflectionRequest } from '../../ports/model/model-roles.ts';
import { DATA_RULE, section, sections, userMessage } from './common.ts';
import { quote } from './quote.ts';

export const REFLECT_TEMPLATE: ModelPrompt['template'] = Object.freeze({ name: 'reflect', version: '1' });

/** The length of one value and the number of recent steps shown. */
const OUTPUT_LENGTH_MAX = 2_000;

const DONE_MAX = 10;

const OCCASIONS: Readonly<Record<ReflectionRequest['trigger'], string>> = {
  tool_failure: 'A tool failed.',
  low_confidence: 'What a step brought back was judged too low to rely on.',
  conflict: 'Two sources contradict each other.',
  context_bloat: 'The context has grown too large.',
  plan_divergence: 'The work has left its goal.',
};

export function reflectPrompt({ trigger, reason, goal, plan, done }: ReflectionRequest): ModelPrompt {
  const steps =
    plan?.steps.map(({ id, tool, params = {} }) => `- ${id}: ${tool} ${quote(params, OUTPUT_LENGTH_MAX)}`) ?? [];
  const brought = done
    .slice(-DONE_MAX)
    .map(
      ({ step, tool, output, trusted }) =>
        `- ${step} (${tool}${trusted ? '' : ', not trusted'}): ${quote(output, OUTPUT_LENGTH_MAX)}`,
    );
  return {
    role: 'reflector',
    template: REFLECT_TEMPLATE,
    system: sections(
      'You look back at work that did not go well and say what to do differently. You do nothing else: you call no tool, make no plan and permit nothing. Whoever plans next reads what you say.',
      DATA_RULE,
      section(
        'Answer',
        'With JSON: in cause the likeliest cause, in advice what the next plan should do differently. One or two sentences each, about this work and nothing general. Where nothing could be done differently, leave advice empty.',
      ),
    ),
    messages: [
      userMessage(
        sections(
          section('Goal', quote(goal.statement)),
          section(
            'What happened',
            OCCASIONS[trigger],
            `${reason.code}${reason.step_id === null ? '' : ` in step ${reason.step_id}`}: ${quote(reason.message, OUTPUT_LENGTH_MAX)}`,
            ...(Object.keys(reason.detail).length === 0 ? [] : [`Details: ${quote(reason.detail, OUTPUT_LENGTH_MAX)}`]),
          ),
          section('Plan', ...steps),
          section('Done so far', ...brought),
        ),
      ),
    ],
    schema: { name: 'reflection', json: ANSWER },
  };
}

const ANSWER: JsonObject = {
  type: 'object',
  required: ['cause', 'advice'],
  additionalProperties: false,
  properties: { cause: { type: 'string' }, advice: { type: 'string' } },
};
