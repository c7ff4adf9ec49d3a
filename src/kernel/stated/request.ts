import { isJsonList, type Json, type JsonObject } from '../../model/json.ts';
import { pointerToken } from '../../model/pointer.ts';
import { type Moments, momentsIn, saysMoment } from './moments.ts';
import { numbersAmong } from './quantities.ts';
import { folded, saysWords, wordsOf } from './words.ts';

/** What a requester said, ready to be looked things up in. */
export interface Said {
  readonly texts: readonly SaidText[];
  /** Inputs that are numbers, or yes and no. */
  readonly values: readonly { readonly place: string; readonly name: string; readonly value: number | boolean }[];
}

interface SaidText {
  readonly place: string;
  readonly text: string;
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
  const plain = folded(text);
  return { place, text: plain, numbers: new Set(numbersAmong(wordsOf(plain))), moments: momentsIn(plain) };
}

/**
 * Where the requester stated a leaf of the arguments, or null. Words are stated whole and in their own case; a number
 * by its value; a day and a time each; yes and no only as an input of the same name. Nothing is stated by leaving it
 * empty.
 */
export function statedAt({ texts, values }: Said, name: string, leaf: Json): string | null {
  if (typeof leaf === 'string') {
    const words = folded(leaf);
    return texts.find((said) => saysWords(said.text, words) || saysMoment(said.moments, words))?.place ?? null;
  }
  if (typeof leaf === 'number') {
    const input = values.find(({ value }) => value === leaf);
    return input?.place ?? texts.find(({ numbers }) => numbers.has(leaf))?.place ?? null;
  }
  if (typeof leaf !== 'boolean') return null;
  return values.find((input) => input.name === name && input.value === leaf)?.place ?? null;
}
