import { KEPT_CLASSES } from '../../model/evidence/compression.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import type { ModelPrompt } from '../../ports/model/language-model.ts';
import type { CompressionRequest } from '../../ports/model/model-roles.ts';
import { closed } from '../schema/portable.ts';
import { DATA_RULE, section, sections, userMessage } from './common.ts';
import { quote } from './quote.ts';

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
  const kept = KEPT_CLASSES.map((name) => `- ${name}: ${quote(Object.keys(context.kept[name]))}`);
  const loose = context.loose.map(({ class: kind, pointer, summarized_by }) => {
    const summed = summarized_by === undefined ? '' : `, summed up by ${summarized_by}`;
    return `- ${quote(pointer)} (${kind}${summed}): ${quote(texts.get(pointer) ?? '', EXCERPT_MAX)}`;
  });
  return {
    role: 'compressor',
    template: COMPRESS_TEMPLATE,
    system: sections(section('Your part', ...ROLE, ...messagesRule(request)), section('Data', DATA_RULE)),
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

const MESSAGES_RULE =
  'Earlier messages of the conversation are dropped too. Say in "digest" as well what the user has asked for and was told, so far as a later message may refer to it.';

const messagesRule = ({ context }: CompressionRequest): readonly string[] =>
  context.loose.some((item) => item.class === 'earlier_message') ? [MESSAGES_RULE] : [];

/** The length of an excerpt. The complete texts would not fit into the compressor's own context. */
const EXCERPT_MAX = 2_000;

const NAMES: Json = { type: 'array', items: { type: 'string' } };

const SCHEMA: JsonObject = closed({
  kept: closed(Object.fromEntries(KEPT_CLASSES.map((name) => [name, NAMES]))),
  dropped: NAMES,
  digest: { type: 'string' },
});
