import { isJsonList, type Json, type JsonObject } from '../../../model/json/json.ts';
import { pointerToken } from '../../../model/json/pointer.ts';
import type { EarlierWords } from '../../../model/run/thread.ts';
import { bareWords, CLOSING, foldText, givesOrder, isNegated, isQuestion, OPENING, sentencesOf } from './sentences.ts';

/** Limits the punctuation stripped from a word, so that untrusted text cannot slow down the search. */
const MARKS_MAX = 8;

/** A folded text with the offsets of each word, with and without surrounding punctuation. */
export interface IndexedText {
  readonly text: string;
  readonly starts: ReadonlyMap<string, readonly number[]>;
}

function indexWords(text: string): IndexedText {
  const starts = new Map<string, number[]>();
  let at = 0;
  for (const word of text.split(' ')) {
    for (const [offset, bare] of bareForms(word)) {
      const known = starts.get(bare);
      if (known === undefined) starts.set(bare, [at + offset]);
      else known.push(at + offset);
    }
    at += word.length + 1;
  }
  return { text, starts };
}

/** Yields a word with its offset, without 0 to `MARKS_MAX` opening and closing marks. */
function* bareForms(word: string): Generator<readonly [number, string]> {
  for (let from = 0; from <= MARKS_MAX && from < word.length; from += 1) {
    if (from > 0 && !OPENING.has(word[from - 1] ?? '')) return;
    for (let cut = 0; cut <= MARKS_MAX && word.length - cut > from; cut += 1) {
      if (cut > 0 && !CLOSING.has(word[word.length - cut] ?? '')) break;
      yield [from, word.slice(from, word.length - cut)];
    }
  }
}

/**
 * Whether a text contains the words as complete words, with only quotes, brackets and sentence marks around them. A
 * part of an address or of a number does not count.
 */
function containsWords({ text, starts }: IndexedText, words: string): boolean {
  const blank = words.indexOf(' ');
  if (blank < 0) return starts.has(words);
  const places = starts.get(words.slice(0, blank));
  return places !== undefined && occursAt(text, words, new Set(places));
}

/** Whether the words start at one of the offsets. Uses Knuth-Morris-Pratt: repetitive requests cost linear time. */
function occursAt(text: string, words: string, places: ReadonlySet<number>): boolean {
  const borders = bordersOf(words);
  for (let at = 0, matched = 0; at < text.length; at += 1) {
    while (matched > 0 && text[at] !== words[matched]) matched = borders[matched - 1] ?? 0;
    if (text[at] === words[matched]) matched += 1;
    if (matched < words.length) continue;
    if (places.has(at + 1 - matched) && endsAt(text, at + 1)) return true;
    matched = borders[matched - 1] ?? 0;
  }
  return false;
}

/** The Knuth-Morris-Pratt table: for each prefix, the length of its longest proper prefix that is also its suffix. */
function bordersOf(words: string): readonly number[] {
  const borders = [0];
  for (let at = 1, matched = 0; at < words.length; at += 1) {
    while (matched > 0 && words[at] !== words[matched]) matched = borders[matched - 1] ?? 0;
    if (words[at] === words[matched]) matched += 1;
    borders.push(matched);
  }
  return borders;
}

function endsAt(text: string, from: number): boolean {
  for (let at = from; at <= from + MARKS_MAX; at += 1) {
    const char = text[at];
    if (char === undefined || char === ' ') return true;
    if (!CLOSING.has(char)) return false;
  }
  return false;
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const MONTH = MONTHS.join('|');
const DAY_MINUTES = 24 * 60;

/** The dates, times and spans in a text. Days are `YYYY-MM-DD`; times of day and spans are in minutes. */
export interface Moments {
  readonly days: ReadonlySet<string>;
  readonly times: ReadonlySet<number>;
  readonly spans: ReadonlySet<number>;
}

const ISO_DAY = /(?<![\w.-])(\d{4})-(\d{2})-(\d{2})(?![\w-])/gu;
const MONTH_DAY_YEAR = new RegExp(`\\b(${MONTH}) (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})\\b`, 'gu');
const DAY_MONTH_YEAR = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)? (?:of )?(${MONTH}),? (\\d{4})\\b`, 'gu');
const CLOCK_TIME = /(?<![\w:.])(\d{1,2}):(\d{2})(?: ?([ap])\.?m\b)?(?![\w:])/gu;
const HOUR_TIME = /(?<![\w:.])(\d{1,2}) ?([ap])\.?m\b/gu;
const SPAN = /\b(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)[ -](hour|minute)s?\b/gu;
const NUMERALS: readonly string[] = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** Finds dates, times and spans in a folded text. A day without a year is ignored, since the year would be a guess. */
export function momentsIn(text: string): Moments {
  const lower = text.toLowerCase();
  const days = new Set<string>();
  for (const [, year, month, day] of lower.matchAll(ISO_DAY)) days.add(`${year}-${month}-${day}`);
  for (const [, month, day, year] of lower.matchAll(MONTH_DAY_YEAR)) days.add(dayOf(year, month, day));
  for (const [, day, month, year] of lower.matchAll(DAY_MONTH_YEAR)) days.add(dayOf(year, month, day));
  const times = new Set<number>();
  for (const [, hour, minute, half] of lower.matchAll(CLOCK_TIME)) addTime(times, hour, minute, half);
  for (const [, hour, half] of lower.matchAll(HOUR_TIME)) addTime(times, hour, '0', half);
  const spans = new Set<number>();
  for (const [, count, unit] of lower.matchAll(SPAN)) spans.add(numeral(count ?? '') * (unit === 'hour' ? 60 : 1));
  return { days, times, spans };
}

const padTwo = (part: string | number): string => String(part).padStart(2, '0');

const dayOf = (year = '', month = '', day = ''): string =>
  `${year}-${padTwo(MONTHS.indexOf(month) + 1)}-${padTwo(day)}`;

function addTime(times: Set<number>, hour = '', minute = '', half: string | undefined): void {
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'p' ? 12 : 0);
  if (hours < 24 && Number(minute) < 60) times.add(hours * 60 + Number(minute));
}

function numeral(word: string): number {
  if (word === 'a' || word === 'an') return 1;
  const place = NUMERALS.indexOf(word);
  return place < 0 ? Number(word) : place;
}

const MOMENT = /^(?:(\d{4}-\d{2}-\d{2})(?:[T ]|$))?(?:(\d{2}):(\d{2})(?::00(?:\.0{1,9})?)?)?$/u;

/**
 * Whether an ISO 8601 date, time or both, without a zone, follow from the text. The day must be stated. The time must
 * be stated, or be a stated time plus a stated span on the same day.
 */
function statesMoment({ days, times, spans }: Moments, value: string): boolean {
  const [match, day, hour, minute] = MOMENT.exec(value) ?? [];
  if (match === undefined || match === '') return false;
  if (day !== undefined && !days.has(day)) return false;
  if (hour === undefined) return !/[T ]$/u.test(value);
  const time = Number(hour) * 60 + Number(minute);
  if (time >= DAY_MINUTES) return false;
  return times.has(time) || [...spans].some((span) => span <= time && times.has(time - span));
}

/** Replaces a dropped sentence. No value contains it, so no match spans the gap. */
const LEFT_OUT = '\u0000';

/** The sentences that state values: those that negate nothing or, for a grant, also those that ask no question. */
export type StatingSentences = 'not_negated' | 'ordering';

/** The sentences of a folded text that state values; `LEFT_OUT` in place of each other one. */
function statingSentences(text: string, kept: StatingSentences): readonly string[] {
  const sentences = sentencesOf(text);
  const states = (sentence: string, at: number): boolean =>
    !isNegated(sentence) && (kept === 'not_negated' || !isQuestion(sentence) || IF_SO.test(sentences[at + 1] ?? ''));
  return sentences.map((sentence, at) => (states(sentence, at) ? sentence : LEFT_OUT));
}

/** The beginning of an order on the condition that the question before it is answered with yes. */
const IF_SO = /^if (?:so|yes)\b/iu;

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
  /** The sentences that state values; `LEFT_OUT` in place of each other one. */
  readonly sentences: readonly string[];
  readonly words: IndexedText;
  readonly numbers: ReadonlySet<number>;
  readonly moments: Moments;
}

/**
 * Indexes the requester's texts: the goal, the inputs and the answers, except inputs of other authors, and the words of
 * earlier messages of the thread.
 */
export function indexRequest(
  statement: string,
  inputs: JsonObject,
  others: readonly string[],
  earlier: readonly EarlierWords[] = [],
  kept: StatingSentences = 'not_negated',
): RequestStatements {
  const texts: IndexedStatement[] = [indexStatement('statement', statement, kept)];
  const values: RequestStatements['values'][number][] = [];
  const read = (value: Json, name: string, place: string): void => {
    if (typeof value === 'string') texts.push(indexStatement(place, value, kept));
    else if (typeof value === 'number' || typeof value === 'boolean') values.push({ place, name, value });
    else if (isJsonList(value)) for (const [at, item] of value.entries()) read(item, name, `${place}/${at}`);
    else if (value !== null)
      for (const [key, child] of Object.entries(value)) read(child, key, place + pointerToken(key));
  };
  for (const [key, value] of Object.entries(inputs)) {
    if (!others.includes(key)) read(value, key, `inputs${pointerToken(key)}`);
  }
  for (const { run_id, text } of earlier) texts.push(indexStatement(`${THREAD_PLACE}${run_id}`, text, kept));
  return { texts, values };
}

/** The place of a value that an earlier message states: this, and the id of the run. */
const THREAD_PLACE = 'thread/';

export const isEarlier = (place: string): boolean => place.startsWith(THREAD_PLACE);

function indexStatement(place: string, text: string, kept: StatingSentences): IndexedStatement {
  const sentences = statingSentences(foldText(text), kept);
  const plain = sentences.join(' ');
  const numbers = new Set(numbersIn(bareWords(plain)));
  return { place, sentences, words: indexWords(plain), numbers, moments: momentsIn(plain) };
}

/** Whether a sentence of this run's own message orders an action with one of the words. */
export const ordersBy = ({ texts }: RequestStatements, words: readonly string[]): boolean =>
  texts.some(({ place, sentences }) => !isEarlier(place) && sentences.some((sentence) => givesOrder(sentence, words)));

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
