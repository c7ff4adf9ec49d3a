const NUMBER = /^[$€£¥]?(-?(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.\d{1,15})?)[€$£¥]?$/u;

/** The numbers among words, with or without a currency sign. A percentage is another number than the one before the sign. */
export function numbersAmong(words: readonly string[]): readonly number[] {
  return words.flatMap((word): readonly number[] => {
    const digits = NUMBER.exec(word)?.[1];
    return digits === undefined ? [] : [Number(digits.replaceAll(',', ''))];
  });
}
