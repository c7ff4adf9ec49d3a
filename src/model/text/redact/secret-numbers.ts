import { LENGTH_MIN } from './secret-forms.ts';

/** A number as a text. */
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/** Digits in groups, such as those of a phone or a card. */
const GROUPED = /^[+(]?\d[\d\s().\-/]*$/;

/** Fewer digits in groups would also be those of years and amounts. */
const GROUPED_MIN = 6;

/** Prepares a search for the secret that a number has the digits of. Short numbers are too common to be redacted. */
export function secretNumbers(secrets: readonly string[]): (value: number) => string | null {
  const byNumber = new Map<string, string>();
  const add = (digits: string, secret: string): void => {
    if (!byNumber.has(digits)) byNumber.set(digits, secret);
  };
  for (const secret of secrets) {
    if (NUMBER.test(secret)) add(String(Math.abs(Number(secret))), secret);
    if (!GROUPED.test(secret)) continue;
    const digits = secret.replace(/\D/g, '');
    // A number has no zeros in front.
    if (digits.length >= GROUPED_MIN) add(digits.slice(Math.max(0, digits.search(/[1-9]/))), secret);
  }
  return (value) => {
    const digits = String(Math.abs(value));
    return digits.length < LENGTH_MIN ? null : (byNumber.get(digits) ?? null);
  };
}
