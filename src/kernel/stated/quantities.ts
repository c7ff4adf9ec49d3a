const NUMBER = /^[$€£¥]?(-?(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.\d{1,15})?)[€$£¥]?$/u;
/** One and a half to some readers, fifteen hundred to others: whoever writes so has stated neither. */
const AMBIGUOUS = /^-?[1-9]\d{0,2}\.\d{3}$/u;
const PERCENT: ReadonlySet<string> = new Set(['%', 'percent', 'Prozent']);

/** The numbers among words, with or without a currency sign. A percentage is another number than the one before the sign. */
export function numbersAmong(words: readonly string[]): readonly number[] {
  return words.flatMap((word, at): readonly number[] => {
    const digits = PERCENT.has(words[at + 1] ?? '') ? undefined : NUMBER.exec(word)?.[1];
    return digits === undefined || AMBIGUOUS.test(digits) ? [] : [Number(digits.replaceAll(',', ''))];
  });
}
