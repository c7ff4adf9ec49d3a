import { Fault } from '../model/fault/fault.ts';

/** Counts the parts of several JSON texts from outside, before they are parsed. */
export interface JsonCounter {
  /**
   * Throws `bundle_invalid` for a text that is too deep or has a string of more than `stringMax` characters, or if all
   * texts so far have too many parts.
   */
  add(text: string, path: string, stringMax?: number): void;
}

/** The depth of a recorded event, whose values are at most 64 levels deep, within a frame. */
const DEPTH_MAX = 128;
/**
 * The parts of all texts, twice as many as one answer of a tool may have. A part takes up to two hundred bytes of memory, and
 * in the file as few as two bits. This many fit into a heap of 512 MB.
 */
const PARTS_MAX = 2_000_000;

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPENING: ReadonlySet<number> = new Set([91, 123]);
const CLOSING: ReadonlySet<number> = new Set([93, 125]);

export function createJsonCounter(): JsonCounter {
  let parts = 0;
  const countPart = (path: string): void => {
    parts += 1;
    if (parts > PARTS_MAX) throw invalid(path, `is where the bundle exceeds ${PARTS_MAX} values`);
  };
  return {
    add: (text, path, stringMax = Number.POSITIVE_INFINITY) => {
      let depth = 0;
      for (let at = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        if (code === QUOTE) {
          const end = endOfString(text, at);
          if (end - at > stringMax) throw invalid(path, `has a text of more than ${stringMax} characters`);
          at = end;
        } else if (code === COMMA) countPart(path);
        else if (OPENING.has(code)) {
          countPart(path);
          depth += 1;
          if (depth > DEPTH_MAX) throw invalid(path, `is nested deeper than ${DEPTH_MAX}`);
        } else if (CLOSING.has(code)) depth -= 1;
      }
    },
  };
}

/** The index of the quote that ends the string which begins at `from`. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  for (; at < text.length && text.charCodeAt(at) !== QUOTE; at += 1) if (text.charCodeAt(at) === BACKSLASH) at += 1;
  return at;
}

const invalid = (path: string, why: string): Fault => new Fault('bundle_invalid', `${path}: ${why}`, { path });
