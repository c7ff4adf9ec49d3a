import type { AnswerFact } from '../../model/evidence/answer.ts';
import type { Json } from '../../model/json/json.ts';
import type { Leaf } from './facts.ts';
import type { Token } from './tokens.ts';

/** Letters, digits, and the marks of plain sentences. */
const READABLE = /[\p{L}\p{M}\d .,;:!?¡¿'’‘"“”„«»()–—…/%&€£$¥₹°²³#@+*_`•·{}\n\u00a0\u202f-]/u;
/** Characters without a form of their own: they can hide a message or reverse the order of the text. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

/** Why a sentence cannot be read as it is shown: it has an invisible character, or one whose meaning the check ignores. */
export function unreadable(text: string): string | null {
  const found = [...text].find((one) => INVISIBLE.test(one) || !READABLE.test(one));
  if (found === undefined) return null;
  const code = found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return `the sentence has the character U+${code}, which the check does not read`;
}

const SIGNS = /^[+*/²³°%#$€£¥₹{}-]$/u;

/** A number in digits; the unit behind it separates it from the next mark. */
const isNumber = (token: Token | undefined, isBare: boolean): boolean =>
  token?.kind === 'value' && token.value.type === 'number' && !(isBare && (token.value.isWord || token.value.unit));

/** Why a number cannot be read: a sign or another number next to it changes it, as in "4+", "4²" and "-€4". */
export function changedNumber(tokens: readonly Token[], cited: readonly Leaf[]): string | null {
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1];
    const isSign = (one: Token | undefined): boolean => one?.kind === 'mark' && SIGNS.test(one.text);
    const isChanged =
      (isNumber(token, true) && (isSign(next) || isNumber(next, false))) || (isSign(token) && isNumber(next, false));
    const written = `${token.text}${next?.text ?? ''}`;
    if (isChanged && !cited.some(({ value }) => String(value).includes(written)))
      return `the check does not read "${written}" as a number`;
  }
  return null;
}

const LEAVES_MAX = 2_000;

/** Whether the facts hold too many values to check: the check compares them with each other, while the run waits. */
export function areTooLarge(facts: readonly AnswerFact[]): boolean {
  let leaves = 0;
  const visit = (node: Json): boolean => {
    if (typeof node === 'object' && node !== null) return Object.values(node).some(visit);
    leaves += 1;
    return leaves > LEAVES_MAX;
  };
  return facts.some(({ value }) => visit(value));
}
