import { isJsonList, type Json, type JsonObject } from '../../../model/json/json.ts';
import { pointerToken } from '../../../model/json/pointer.ts';
import { type Moments, momentsIn, statesMoment } from './stated-moments.ts';
import { containsWords, foldText, type IndexedText, indexWords, wordsOf } from './stated-words.ts';

/**
 * Words that negate a sentence, in the most common languages of requests. A false positive costs a question; a false
 * negative grants a forbidden value. So the list includes words that only sometimes negate.
 */
const NEGATIONS: ReadonlySet<string> = new Set(
  [
    'not no never none nobody nothing nowhere neither nor cannot cant dont wont without except excluding exclude',
    'avoid stop refuse reject forbid forbidden prohibited block blocked ignore skip instead rather unless but',
    'nicht nichts nie niemals niemand kein keine keinen keinem keiner keines ohne außer ausser statt anstatt weder',
    'sondern vermeide ne pas jamais aucun aucune sans sauf ni nunca jamás jamas sin ningún ninguna excepto non mai',
    'senza nessuno tranne não nao nunca sem niet nooit geen zonder nie bez nigdy',
  ]
    .join(' ')
    .split(' '),
);
/** Matches don’t, won't, isn't by their ending. */
const CONTRACTED = /n['’`´]t$/u;
/** The end of a sentence, but not the dot after an initial or a title, as in "p.m. on" or "Dr. Who". */
const SENTENCE_END = /(?:[!?]["'”’»)\]]*|[^\s.]{3}\.["'”’»)\]]*) /gu;
/** Replaces a dropped sentence. No value contains it, so no match spans the gap. */
const LEFT_OUT = '\u0000';

/** Drops the sentences of a folded text that negate something: values that occur only there were not requested. */
function dropNegatedSentences(text: string): string {
  const sentences: string[] = [];
  let from = 0;
  for (const { index, 0: end } of text.matchAll(SENTENCE_END)) {
    sentences.push(text.slice(from, index + end.length - 1));
    from = index + end.length;
  }
  sentences.push(text.slice(from));
  return sentences.map((sentence) => (isNegated(sentence) ? LEFT_OUT : sentence)).join(' ');
}

const isNegated = (sentence: string): boolean =>
  wordsOf(sentence.toLowerCase()).some((word) => NEGATIONS.has(word) || CONTRACTED.test(word));

const NUMBER = /^[$€£¥]?(-?(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.\d{1,15})?)[€$£¥]?$/u;
/** Readers take 1.500 for 1.5 or for 1500, so it states neither. */
const AMBIGUOUS = /^-?[1-9]\d{0,2}\.\d{3}$/u;
const PERCENT: ReadonlySet<string> = new Set(['%', 'percent', 'Prozent']);

/** The numbers among words, with or without a currency sign. Percentages are left out. */
function numbersIn(words: readonly string[]): readonly number[] {
  return words.flatMap((word, at): readonly number[] => {
    const digits = PERCENT.has(words[at + 1] ?? '') ? undefined : NUMBER.exec(word)?.[1];
    return digits === undefined || AMBIGUOUS.test(digits) ? [] : [Number(digits.replaceAll(',', ''))];
  });
}

/** The requester's statements, indexed for lookup. */
export interface RequestStatements {
  readonly texts: readonly IndexedStatement[];
  /** Inputs that are numbers or booleans. */
  readonly values: readonly { readonly place: string; readonly name: string; readonly value: number | boolean }[];
}

interface IndexedStatement {
  readonly place: string;
  readonly words: IndexedText;
  readonly numbers: ReadonlySet<number>;
  readonly moments: Moments;
}

/** Indexes the requester's texts: the goal, the inputs and the answers, except inputs of other authors. */
export function indexRequest(statement: string, inputs: JsonObject, others: readonly string[]): RequestStatements {
  const texts: IndexedStatement[] = [indexStatement('statement', statement)];
  const values: RequestStatements['values'][number][] = [];
  const read = (value: Json, name: string, place: string): void => {
    if (typeof value === 'string') texts.push(indexStatement(place, value));
    else if (typeof value === 'number' || typeof value === 'boolean') values.push({ place, name, value });
    else if (isJsonList(value)) for (const [at, item] of value.entries()) read(item, name, `${place}/${at}`);
    else if (value !== null)
      for (const [key, child] of Object.entries(value)) read(child, key, place + pointerToken(key));
  };
  for (const [key, value] of Object.entries(inputs)) {
    if (!others.includes(key)) read(value, key, `inputs${pointerToken(key)}`);
  }
  return { texts, values };
}

function indexStatement(place: string, text: string): IndexedStatement {
  const plain = dropNegatedSentences(foldText(text));
  const numbers = new Set(numbersIn(wordsOf(plain)));
  return { place, words: indexWords(plain), numbers, moments: momentsIn(plain) };
}

/** Line breaks, control characters and invisible characters, which can hide a header or a field. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * The place where the requester stated a leaf, or null. Text must match as complete words on one line, with the same
 * case; a number by value; a date and a time each; a boolean only as an input of the same name. Empty values and
 * negated sentences state nothing.
 */
export function statedAt({ texts, values }: RequestStatements, name: string, leaf: Json): string | null {
  if (typeof leaf === 'string') {
    if (INVISIBLE.test(leaf)) return null;
    const words = foldText(leaf);
    return texts.find((text) => containsWords(text.words, words) || statesMoment(text.moments, words))?.place ?? null;
  }
  if (typeof leaf === 'number') {
    const input = values.find(({ value }) => value === leaf);
    return input?.place ?? texts.find(({ numbers }) => numbers.has(leaf))?.place ?? null;
  }
  if (typeof leaf !== 'boolean') return null;
  return values.find((input) => input.name === name && input.value === leaf)?.place ?? null;
}
