/** A part of a text, and the index of the form that it belongs to. */
export interface FoundPart {
  readonly from: number;
  readonly to: number;
  readonly form: number;
}

/** Searches a text for any of these forms. */
export type FindParts = (text: string) => readonly FoundPart[];

/** The sizes of a window. A part of a form of at least the largest size is found; a shorter form only as a unit. */
const SIZES = [24, 16, 12, 8] as const;

const [WINDOW] = SIZES;

/** Windows of a form begin at every such offset. */
const STEP = 8;

/** The place of a window in its form. */
interface Window {
  readonly form: number;
  readonly offset: number;
}

/** The windows of one size by their unit, and a filter of their hashes that most texts fail. */
interface WindowTable {
  readonly size: number;
  readonly byUnit: Map<string, Window>;
  /** The lengths of the units: that of the window, or those of the short forms that begin with one. */
  readonly lengths: Set<number>;
  readonly hashes: Set<number>;
  readonly filter: Uint8Array;
}

const FILTER_MASK = 0xffff;

/**
 * Prepares a search for forms of 8 characters or more, in a time that depends on the length of the text alone. Of a
 * form of 24 characters or more, every part is found that holds a window, so that neither a cut nor a line break nor an
 * inserted column hides the rest.
 */
export function findParts(forms: readonly string[]): FindParts {
  const tables = new Map<number, WindowTable>();
  for (const [form, text] of forms.entries()) {
    const size = SIZES.find((each) => each <= text.length);
    if (size === undefined) continue;
    const table = tables.get(size) ?? emptyTable(size);
    tables.set(size, table);
    const offsets = size === WINDOW ? offsetsOf(text.length, size) : [0];
    for (const offset of offsets) addWindow(table, forms, { form, offset });
  }
  return (text) => [...tables.values()].flatMap((table) => searchWindows(text, table, forms));
}

/** The offsets of the windows of a form. The last window ends where the form ends. */
function offsetsOf(length: number, size: number): readonly number[] {
  const last = length - size;
  const count = Math.ceil(last / STEP) + 1;
  return Array.from({ length: count }, (_, index) => Math.min(index * STEP, last));
}

const emptyTable = (size: number): WindowTable => ({
  size,
  byUnit: new Map(),
  lengths: new Set(),
  hashes: new Set(),
  filter: new Uint8Array(FILTER_MASK + 1),
});

function addWindow(table: WindowTable, forms: readonly string[], window: Window): void {
  const { size, byUnit, lengths, hashes, filter } = table;
  const unit = unitOf(forms[window.form] ?? '', window.offset);
  // Two windows with the same text would find the same parts.
  if (byUnit.has(unit)) return;
  byUnit.set(unit, window);
  lengths.add(unit.length);
  const hash = hashOf(unit.slice(0, size));
  hashes.add(hash);
  filter[hash & FILTER_MASK] = 1;
}

/** The text that must stand at a hit: a window of a long form, or all of a short one. */
const unitOf = (form: string, offset: number): string =>
  form.length < WINDOW ? form : form.slice(offset, offset + WINDOW);

const BASE = 257;

function hashOf(part: string): number {
  let hash = 0;
  for (let at = 0; at < part.length; at += 1) hash = (Math.imul(hash, BASE) + part.charCodeAt(at)) | 0;
  return hash;
}

/** Slides over the text with a rolling hash, and extends each hit to both sides as far as it agrees with its form. */
function searchWindows(
  text: string,
  { size, byUnit, lengths, hashes, filter }: WindowTable,
  forms: readonly string[],
): readonly FoundPart[] {
  // Texts are compared only where a hash agrees: of one window each, or of a few short forms.
  const windowAt = (at: number): Window | undefined => {
    for (const length of lengths) {
      const window = byUnit.get(text.slice(at, at + length));
      if (window !== undefined) return window;
    }
    return undefined;
  };
  const found: FoundPart[] = [];
  let power = 1;
  for (let times = 1; times < size; times += 1) power = Math.imul(power, BASE);
  let hash = 0;
  let done = 0;
  for (let end = 1; end <= text.length; end += 1) {
    const at = end - size;
    if (at > 0) hash = (hash - Math.imul(text.charCodeAt(at - 1), power)) | 0;
    hash = (Math.imul(hash, BASE) + text.charCodeAt(end - 1)) | 0;
    if (at < done || filter[hash & FILTER_MASK] === 0 || !hashes.has(hash)) continue;
    const hit = windowAt(at);
    if (hit === undefined) continue;
    const part = extend(text, { at, done, size }, forms[hit.form] ?? '', hit.offset);
    found.push({ ...part, form: hit.form });
    done = part.to;
  }
  return found;
}

/** Dumps write a column or an offset after each line. A part that goes on behind so many characters is one part. */
const GAP = 48;

/** The number of characters that must agree behind a gap, or the rest of the form if that is shorter. */
const RESUMED = 8;

/** The part of a text around a window that agrees with the form; it begins after `done`. */
function extend(
  text: string,
  { at, done, size }: { readonly at: number; readonly done: number; readonly size: number },
  form: string,
  offset: number,
): { readonly from: number; readonly to: number } {
  let from = at;
  for (let rest = offset; rest > 0; ) {
    if (from > done && text[from - 1] === form[rest - 1]) {
      from -= 1;
      rest -= 1;
      continue;
    }
    const wanted = form.slice(Math.max(0, rest - RESUMED), rest);
    const before = Math.max(done, from - GAP);
    const place = wanted.length < 2 ? -1 : text.slice(before, from).lastIndexOf(wanted);
    if (place < 0) break;
    from = before + place;
    rest -= wanted.length;
  }
  let to = at + size;
  for (let next = offset + size; next < form.length; ) {
    if (to < text.length && text[to] === form[next]) {
      to += 1;
      next += 1;
      continue;
    }
    const wanted = form.slice(next, next + RESUMED);
    const place = wanted.length < 2 ? -1 : text.slice(to, to + GAP).indexOf(wanted);
    if (place < 0) break;
    to += place + wanted.length;
    next += wanted.length;
  }
  return { from, to };
}
