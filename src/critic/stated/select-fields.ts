import type { StatedBy } from '../../model/text/state-value.ts';
import { isSynonym, textWords } from '../release/facts.ts';
import { stem } from '../release/tokens.ts';
import { GENERIC_KEYS } from '../release/words/field-words.ts';
import { FILLER_WORDS, FUNCTION_WORDS } from '../release/words/lexicon.ts';
import { type AnswerField, answerFieldsOf, type Candidate } from './answer-fields.ts';

/** Limits of a value that is shown although no word of the request names a field of it. */
const MAIN_FIELDS_MAX = 6;
const MAIN_COLUMNS_MAX = 4;

/** A currency is stated with its amount. */
const CURRENCY = stem('currency');

const stems = (text: string): ReadonlySet<string> => new Set(text.split(' ').map(stem));

/** Words that ask for an amount without naming it: "What did I pay?" */
export const ASKS_MONEY: ReadonlySet<string> = stems('pay paid cost price much owe charge spend bill');
const GENERIC = stems([...GENERIC_KEYS].join(' '));
/** Words that place a question in time. They name a field only literally: "last month" asks for no duration. */
export const TIME_WORDS: ReadonlySet<string> = stems('last month week year day today next time');

/**
 * Selects the fields of each candidate that words of the request, of the plan's answer step or of the criteria name. An
 * empty list leaves the value to the tool's own phrase; null leaves the value out.
 */
export function selectFields(
  request: string,
  candidates: readonly Candidate[],
  specOf: (tool: string) => StatedBy,
): readonly (readonly string[] | null)[] {
  const fields = candidates.flatMap((at) => answerFieldsOf(at, specOf(at.tool)));
  const named = new Set([
    ...namedFields(request, fields),
    ...candidates.flatMap((at) => {
      const own = fields.filter((field) => field.at === at);
      return namedFields(at.asked, own);
    }),
  ]);
  const isNothingNamed = named.size === 0;
  return candidates.map((at) => {
    const own = fields.filter((field) => field.at === at);
    const shown = own.filter((field) => named.has(field));
    if (shown.length > 0) return withIdentity(shown, own);
    // The statement of a criterion is an answer already. A value that proves no criterion only served later steps.
    if (at.because === 'criteria') return at.asked === '' ? null : [];
    if (at.because === 'observed' && !isNothingNamed) return null;
    return specOf(at.tool).answers?.say === undefined ? mainFields(own) : [];
  });
}

/** The fields that the words of a text name. */
export function namedFields(text: string, fields: readonly AnswerField[]): readonly AnswerField[] {
  const all = textWords(text);
  const meaning = all.filter((word) => !FUNCTION_WORDS.has(word) && !FILLER_WORDS.has(word));
  const words = new Set(meaning.map(stem));
  const named = [...words].flatMap((word) => preferPhrases(namedBy(word, words, fields)));
  const isDated = !all.includes('when') || named.some(({ kind }) => kind === 'moment');
  return isDated ? named : [...named, ...fields.filter(({ kind }) => kind === 'moment')];
}

/** Prefers the tool's phrase: if it states a field that a word names, it answers that word. */
function preferPhrases(named: readonly AnswerField[]): readonly AnswerField[] {
  const phrased = new Set(named.flatMap(({ at, isPhrased }) => (isPhrased ? [at] : [])));
  return named.filter(({ at, isPhrased }) => isPhrased || !phrased.has(at));
}

/** The fields that a word names. Each rule is tried only if the rules before it name no field. */
function namedBy(word: string, words: ReadonlySet<string>, fields: readonly AnswerField[]): readonly AnswerField[] {
  const money = ASKS_MONEY.has(word) ? fields.filter(isPlainMoney) : [];
  for (const rule of TIME_WORDS.has(word) ? RULES.slice(0, 1) : RULES) {
    const named = rule(word, words, fields);
    if (named.length > 0) return [...named, ...money];
  }
  return money;
}

type NamingRule = (word: string, words: ReadonlySet<string>, fields: readonly AnswerField[]) => readonly AnswerField[];

const RULES: readonly NamingRule[] = [
  // Prefers the field whose name shares more words with the request: "auto renewal" is not `renews_on`.
  (word, words, fields) => {
    const literal = fields.filter(({ kind, name }) => name.has(word) && (kind !== 'id' || isCovered(name, words)));
    const most = Math.max(...literal.map((field) => countMatches(field, words)));
    return literal.filter((field) => countMatches(field, words) === most);
  },
  (word, _, fields) =>
    fields.filter(({ kind, name }) => kind !== 'id' && [...name].some((one) => isSynonym(one, word))),
  (word, _, fields) =>
    fields.filter(({ kind, name, about }) => kind !== 'id' && !name.has(CURRENCY) && about.has(word)),
  // The name of an element asks for its list. A single value that the request states is not an answer to it.
  (word, _, fields) => {
    const lists = new Set(
      fields.flatMap(({ kind, list, values }) => (kind !== 'id' && values.has(word) ? (list ?? []) : [])),
    );
    return fields.filter(({ list }) => list !== null && lists.has(list));
  },
];

const isCovered = (name: ReadonlySet<string>, words: ReadonlySet<string>): boolean =>
  [...name].every((word) => words.has(word));

function countMatches({ name }: AnswerField, words: ReadonlySet<string>): number {
  const matched = [...name].filter((word) => words.has(word)).length;
  return matched + (matched === name.size ? 100 : 0);
}

/** An amount whose key names nothing else, such as `total_cents`. */
const isPlainMoney = ({ kind, name }: AnswerField): boolean =>
  kind === 'money' && [...name].every((word) => GENERIC.has(word) || ASKS_MONEY.has(word));

/** Whether a word such as "pay" asks for this amount without naming it. */
export const asksForAmount = (word: string, field: AnswerField): boolean => ASKS_MONEY.has(word) && isPlainMoney(field);

/** Adds the field that identifies an element of a list, so that each row of a table names its record. */
function withIdentity(shown: readonly AnswerField[], all: readonly AnswerField[]): readonly string[] {
  const lists = new Set(shown.flatMap(({ list }) => list ?? []));
  const identities = [...lists].flatMap((list) => all.find((field) => field.list === list && isIdentity(field)) ?? []);
  const wanted = new Set([...identities, ...shown]);
  return all.filter((field) => wanted.has(field)).map(({ pointer }) => pointer);
}

const isIdentity = ({ kind, name }: AnswerField): boolean => kind === 'id' || name.has('name') || name.has('titl');

function mainFields(fields: readonly AnswerField[]): readonly string[] {
  const plain = fields.filter(({ kind, name }) => kind !== 'id' && !name.has(CURRENCY));
  const main = plain.length === 0 ? fields : plain;
  const columns = new Map<string, number>();
  const shown = main.filter(({ list }) => {
    const key = list ?? '';
    const count = (columns.get(key) ?? 0) + 1;
    columns.set(key, count);
    return count <= (list === null ? MAIN_FIELDS_MAX : MAIN_COLUMNS_MAX);
  });
  return withIdentity(shown, fields);
}
