import { KEPT_CLASSES } from '../../model/evidence/compression.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import type { ModelPrompt } from '../../ports/model/language-model.ts';
import type { CompressionRequest, ReflectionRequest } from '../../ports/model/model-roles.ts';
import { closed } from '../schema/portable.ts';
import { asData, DATA_RULE, section, sections, userMessage } from './common.ts';

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
  const steps = plan?.steps.map(({ id, tool, params = {} }) => `- ${id}: ${tool} ${bounded(params)}`) ?? [];
  const brought = done
    .slice(-DONE_MAX)
    .map(
      ({ step, tool, output, trusted }) => `- ${step} (${tool}${trusted ? '' : ', not trusted'}): ${bounded(output)}`,
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
          section('Goal', asData(goal.statement)),
          section(
            'What happened',
            OCCASIONS[trigger],
            `${reason.code}${reason.step_id === null ? '' : ` in step ${reason.step_id}`}: ${bounded(reason.message)}`,
            ...(Object.keys(reason.detail).length === 0 ? [] : [`Details: ${bounded(reason.detail)}`]),
          ),
          section('Plan', ...steps),
          section('Done so far', ...brought),
        ),
      ),
    ],
    schema: { name: 'reflection', json: ANSWER },
  };
}

function bounded(value: Parameters<typeof asData>[0]): string {
  const text = asData(value);
  return text.length <= OUTPUT_LENGTH_MAX ? text : `${asData(text.slice(0, OUTPUT_LENGTH_MAX).toWellFormed())} (cut)`;
}

const ANSWER: JsonObject = {
  type: 'object',
  required: ['cause', 'advice'],
  additionalProperties: false,
  properties: { cause: { type: 'string' }, advice: { type: 'string' } },
};

export const COMPRESS_TEMPLATE: ModelPrompt['template'] = Object.freeze({ name: 'compress', version: '1' });

const ROLE = [
  'A run has come to show its planner more than fits. You say what is shown from here on.',
  'For every class below, list the name of each entry under "kept". All of them have to be kept, word for word: you only name them, and you never write them anew. A name that you leave out ends the run.',
  'Under "dropped", list the pointers of loose material that is no longer shown. The trace keeps it.',
  'In "digest", say in a few plain sentences what of the dropped material the planner still has to know: what was tried and failed, and why. State no fact that is not in a verified observation. Leave it empty if there is nothing.',
];

/** Asks which entries to keep. It lists names instead of entries, because entries are kept verbatim. */
export function compressPrompt(request: CompressionRequest): ModelPrompt {
  const { context, texts, tokens } = request;
  const kept = KEPT_CLASSES.map((name) => `- ${name}: ${asData(Object.keys(context.kept[name]))}`);
  const loose = context.loose.map(({ class: kind, pointer, summarized_by }) => {
    const summed = summarized_by === undefined ? '' : `, summed up by ${summarized_by}`;
    return `- ${asData(pointer)} (${kind}${summed}): ${asData(shortened(texts.get(pointer) ?? ''))}`;
  });
  return {
    role: 'compressor',
    template: COMPRESS_TEMPLATE,
    system: sections(section('Your part', ...ROLE), section('Data', DATA_RULE)),
    messages: [
      userMessage(
        sections(
          section('Size', `The context takes ${tokens} tokens.`),
          section('To be kept', ...kept),
          section('Loose material', ...(loose.length === 0 ? ['There is none.'] : loose)),
        ),
      ),
    ],
    schema: { name: 'compression', json: SCHEMA },
  };
}

/** The length of an excerpt. The complete texts would not fit into the compressor's own context. */
const EXCERPT_MAX = 2_000;
const shortened = (text: string): string => (text.length <= EXCERPT_MAX ? text : `${text.slice(0, EXCERPT_MAX)}…`);

const NAMES: Json = { type: 'array', items: { type: 'string' } };

const SCHEMA: JsonObject = closed({
  kept: closed(Object.fromEntries(KEPT_CLASSES.map((name) => [name, NAMES]))),
  dropped: NAMES,
  digest: { type: 'string' },
});
