import type { OpenPart, QuestionCase } from '../../model/critic/judged-case.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../model/json/json.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { isSynonym, keyWords, textWords } from '../release/facts.ts';
import { stem } from '../release/tokens.ts';
import { FILLER_WORDS, FUNCTION_WORDS } from '../release/words/lexicon.ts';
import { answerFieldsOf, type Candidate } from './answer-fields.ts';
import { ASKS_MONEY, namedFields, TIME_WORDS } from './select-fields.ts';

/** Words that begin a question. */
const QUESTION =
  '(?:(?:in|on|at|for|to|from|by|since|until) )?(?:what|which|when|where|who|whose|how|why|is|are|was|were|do|does|did|' +
  "will|has|have|had|can|could|should|what's|when's|where's|who's)\\b";
/** A part begins like a question, or with a noun: "and my last invoice". */
const PARTS = new RegExp(`(?:,? (?:and also|and|or|plus|as well as) |, )(?=${QUESTION}|(?:my|our|the)\\b)`, 'u');
const SENTENCE = /(?<=\?)|[!;\n]+|\.(?=\s|$)/u;
const ASKS = new RegExp(
  `\\?$|^(?:${QUESTION}|(?:please )?(?:(?:can|could) you )?(?:tell|show|give|list|look up|find out|let me know)\\b)`,
  'u',
);

/** The parts of a message that ask something; none if it has fewer than two. Only English words separate parts. */
export function questionParts(request: string): readonly string[] {
  const text = request
    .normalize('NFC')
    .replaceAll('’', "'")
    .toLowerCase()
    .replace(/[^\S\n]+/gu, ' ');
  const parts = text
    .split(SENTENCE)
    .map((sentence) => sentence.trim().replace(/^(?:hi|hello|hey)[ ,]+|^(?:and|also|so|please)[ ,]+/u, ''))
    .filter((sentence) => ASKS.test(sentence))
    .flatMap((sentence) => sentence.split(PARTS))
    .map((part) => part.replace(/\?$/u, '').trim().slice(0, PART_LENGTH_MAX))
    .filter((part) => part !== '');
  return parts.length < 2 ? [] : parts.slice(0, PARTS_MAX);
}

const PARTS_MAX = 10;
const PART_LENGTH_MAX = 200;

/**
 * Finds the first part of a question that names no field of the facts but names a tool that was not called: its name,
 * its description or a field of its output. Each part is found once.
 */
export function findOpenPart({ request, facts, called, uncalled, pointedOut }: QuestionCase): OpenPart | null {
  if (uncalled.length === 0) return null;
  const specs = new Map([...called, ...uncalled].map((tool) => [tool.name, tool]));
  const known = facts.flatMap(({ tool, value, hidden }) => {
    const spec = specs.get(tool);
    return spec === undefined ? [] : answerFieldsOf(candidate(tool, value, hidden), spec);
  });
  const shared = new Set(called.flatMap(wordsOf));
  for (const part of questionParts(request)) {
    const isOpen = !pointedOut.includes(part) && namedFields(part, known).length === 0;
    const tool = isOpen ? uncalled.find((each) => isNamed(part, each, shared)) : undefined;
    if (tool !== undefined) return { part, tool: tool.name };
  }
  return null;
}

const candidate = (tool: string, value: Json, hidden: readonly string[]): Candidate => ({
  tool,
  value,
  hidden,
  because: 'observed',
  asked: '',
});

/** The words of a record that states an amount: "What did I pay?" asks for an invoice. */
const MONEY_RECORDS = new Set('invoice bill payment receipt charge price fee cost transaction'.split(' ').map(stem));

/** Whether a part names a tool. Words that the called tools have too, such as a namespace, name none. */
function isNamed(part: string, tool: ToolSpec, shared: ReadonlySet<string>): boolean {
  const own = wordsOf(tool).filter((word) => !shared.has(word));
  const asked = meaningOf(textWords(part));
  if (asked.length === 0) return false;
  const isWord = asked.some(
    (word) =>
      own.some((one) => isSynonym(one, word)) || (ASKS_MONEY.has(word) && own.some((one) => MONEY_RECORDS.has(one))),
  );
  return (
    isWord || namedFields(part, answerFieldsOf(candidate(tool.name, sampleOf(tool.output_schema), []), tool)).length > 0
  );
}

/** The words of a tool's name and description. */
const wordsOf = ({ name, description }: ToolSpec): readonly string[] =>
  meaningOf([...keyWords(name), ...textWords(description)]);

/** The stems of the words that can name something. */
const meaningOf = (words: readonly string[]): readonly string[] =>
  words
    .filter((word) => !FUNCTION_WORDS.has(word) && !FILLER_WORDS.has(word))
    .map(stem)
    .filter((word) => !TIME_WORDS.has(word));

const DEPTH_MAX = 8;

/** A value with every field of a schema, so that its fields can be named like those of a result. */
function sampleOf(schema: Json | undefined, depth: number = 0): Json {
  if (schema === undefined || !isJsonObject(schema) || depth > DEPTH_MAX) return null;
  const { properties, items, format } = schema;
  if (isJsonObject(properties ?? null))
    return Object.fromEntries(
      Object.entries(properties as JsonObject).map(([key, child]) => [key, sampleOf(child, depth + 1)]),
    );
  if (items !== undefined) return [sampleOf(items, depth + 1)];
  const choices = schema['anyOf'] ?? schema['oneOf'] ?? null;
  if (isJsonList(choices)) {
    const samples = choices.map((choice) => sampleOf(choice, depth + 1));
    return samples.find((sample) => sample !== null) ?? null;
  }
  const type = isJsonList(schema['type'] ?? null) ? (schema['type'] as readonly Json[])[0] : schema['type'];
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'boolean') return true;
  if (type !== 'string') return type === 'object' ? {} : null;
  return format === 'date' || format === 'date-time' ? '2026-01-01' : '';
}
