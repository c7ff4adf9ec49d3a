/** Exact decimals as integers: JSON numbers and the numbers of sentences, times `SCALE`. */
const DIGITS = 9;
export const SCALE: bigint = 10n ** BigInt(DIGITS);

/** Reads a plain decimal such as `-12.50`; null if it is none or too long to be exact. */
export function decimal(text: string): bigint | null {
  const match = /^([+-]?)(\d{1,24})(?:\.(\d{1,9})0*)?$/u.exec(text);
  if (match === null) return null;
  const [, sign, integer = '0', part = ''] = match;
  const amount = BigInt(integer) * SCALE + BigInt(part.padEnd(DIGITS, '0'));
  return sign === '-' ? -amount : amount;
}

/** Groups of three digits. The first group has no leading zero: `0.412` is a fraction. */
const GROUPED_BY_COMMA = /^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/u;
const GROUPED_BY_POINT = /^[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?$/u;

/**
 * The amounts that a written number can mean: `1,234.50` and `1.234,50` mean one, `1.234` means two (1234 and 1.234),
 * since the sentence does not say its locale.
 */
export function readings(text: string): readonly bigint[] {
  const plain = text.replace(/[\s\u00a0\u202f'’]/gu, '');
  const found = new Set<bigint>();
  const add = (form: string): void => {
    const amount = decimal(form);
    if (amount !== null) found.add(amount);
  };
  if (/^[+-]?\d+$/u.test(plain)) add(plain);
  if (GROUPED_BY_COMMA.test(plain)) add(plain.replaceAll(',', ''));
  else if (/^[+-]?\d+\.\d+$/u.test(plain)) add(plain);
  if (GROUPED_BY_POINT.test(plain)) add(plain.replaceAll('.', '').replace(',', '.'));
  else if (/^[+-]?\d+,\d+$/u.test(plain) && !GROUPED_BY_COMMA.test(plain)) add(plain.replace(',', '.'));
  return [...found];
}

export const absolute = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** Whether a stated amount is a fair rounding of an exact one: within five per cent, and within half of its last digit. */
export function isNear(stated: bigint, exact: bigint): boolean {
  const [difference, size] = [absolute(stated - exact), absolute(stated)];
  let step = 1n;
  while (size > 0n && size % (step * 10n) === 0n) step *= 10n;
  return difference * 20n <= absolute(exact) && difference * 2n <= step;
}
