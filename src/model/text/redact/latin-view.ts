import { fold, PlacedBytes, type TextView, ViewBuilder } from './view-builder.ts';

/** The characters that Windows-1252 has for the bytes 0x80 to 0x9f, where Latin-1 has none. */
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const BYTES: ReadonlyMap<string, number> = new Map(Array.from(WINDOWS, (sign, at) => [sign, 0x80 + at]));

const NOT_ASCII = new RegExp(`[\u0080-\u00ff${WINDOWS}]{2,}`, 'g');

/** A text in UTF-8 that was read as Latin-1, such as `Ã¶` for `ö`. Null if there is none. */
export function latinView(input: string): TextView | null {
  if (!/[\u00c2-\u00f4]/.test(input)) return null;
  const view = new ViewBuilder(input.length);
  let done = 0;
  for (const { 0: run, index } of input.matchAll(NOT_ASCII)) {
    fold(view, input, done, index);
    done = index + run.length;
    const bytes = new PlacedBytes();
    for (let at = index; at < done; at += 1) {
      const sign = input.charAt(at);
      bytes.add(BYTES.get(sign) ?? sign.charCodeAt(0), at, at + 1);
    }
    bytes.addTo(view);
  }
  if (done === 0) return null;
  fold(view, input, done, input.length);
  return view.build();
}
