import { isJsonList, type Json, type JsonObject } from '../../model/json.ts';
import { pointerToken } from '../../model/pointer.ts';
import { type Moments, momentsIn, saysMoment } from './moments.ts';
import { affirmed } from './negated.ts';
import { numbersAmong } from './quantities.ts';
import { folded, type IndexedText, indexWords, saysWords, wordsOf } from './words.ts';

/** What a requester said, ready to be looked things up in. */
export interface Said {
  readonly texts: readonly SaidText[];
  /** Inputs that are numbers, or yes and no. */
  readonly values: readonly { readonly place: string; readonly name: string; readonly value: number | boolean }[];
}

interface SaidText {
  readonly place: string;
  readonly words: IndexedText;
  readonly numbers: ReadonlySet<number>;
  readonly moments: Moments;
}

/** Everything the requester put into words: the goal, the inputs and the answers, except where others speak. */
export function whatWasSaid(statement: string, inputs: JsonObject, others: readonly string[]): Said {
  const texts: SaidText[] = [saidText('statement', statement)];
  const values: Said['values'][number][] = [];
  const read = (value: Json, name: string, place: string): void => {
    if (typeof value === 'string') texts.push(saidText(place, value));
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

function saidText(place: string, text: string): SaidText {
  const plain = affirmed(folded(text));
  const numbers = new Set(numbersAmong(wordsOf(plain)));
  return { place, words: indexWords(plain), numbers, moments: momentsIn(plain) };
}

/** Line breaks, control characters, and what cannot be seen: a header or a field may begin behind them that nobody asked for. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * Where the requester stated a leaf of the arguments, or null. Words are stated whole, on one line and in their own case;
 * a number by its value; a day and a time each; yes and no only as an input of the same name. Nothing is stated by
 * leaving it empty, and nothing by a sentence that denies something.
 */
export function statedAt({ texts, values }: Said, name: string, leaf: Json): string | null {
  if (typeof leaf === 'string') {
    if (UNSEEN.test(leaf)) return null;
    const words = folded(leaf);
    return texts.find((said) => saysWords(said.words, words) || saysMoment(said.moments, words))?.place ?? null;
  }
  if (typeof leaf === 'number') {
    const input = values.find(({ value }) => value === leaf);
    return input?.place ?? texts.find(({ numbers }) => numbers.has(leaf))?.place ?? null;
  }
  if (typeof leaf !== 'boolean') return null;
  return values.find((input) => input.name === name && input.value === leaf)?.place ?? null;
}
