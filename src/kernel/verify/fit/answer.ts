/** What can be said about a producer and a consumer before any value exists. */
export type Fit = 'fits' | 'cannot_fit' | 'not_provable';

/** A place in the value, as a JSON Pointer, that no value of the producer can get right. */
export interface Misfit {
  readonly path: string;
  readonly message: string;
}

export interface Fitting {
  readonly answer: Fit;
  /** Empty unless the answer is `cannot_fit`. */
  readonly misfits: readonly Misfit[];
}

export const FITS: Fitting = Object.freeze({ answer: 'fits', misfits: Object.freeze([]) });
export const NOT_PROVABLE: Fitting = Object.freeze({ answer: 'not_provable', misfits: Object.freeze([]) });

export function cannotFit(message: string): Fitting {
  return { answer: 'cannot_fit', misfits: [{ path: '', message }] };
}

/** The consumer demands all of these. One that cannot be met settles it, and all such are reported. */
export function demandAll(fittings: readonly Fitting[]): Fitting {
  let answer: Fit = 'fits';
  let misfits: Misfit[] | null = null;
  for (const fitting of fittings) {
    if (fitting.answer === 'fits') continue;
    if (fitting.answer === 'not_provable') {
      if (answer === 'fits') answer = 'not_provable';
      continue;
    }
    answer = 'cannot_fit';
    misfits ??= [];
    for (const misfit of fitting.misfits) misfits.push(misfit);
  }
  if (misfits !== null) return { answer: 'cannot_fit', misfits };
  return answer === 'fits' ? FITS : NOT_PROVABLE;
}

/** The producer may turn out to be any of these. Only what holds for every one of them is certain. */
export function whicheverItIs(fittings: readonly Fitting[]): Fitting {
  const [first] = fittings;
  if (first === undefined || fittings.every(({ answer }) => answer === 'fits')) return FITS;
  return fittings.every(({ answer }) => answer === 'cannot_fit') ? first : NOT_PROVABLE;
}

/** The producer is all of these at once. What one of them settles is settled. */
export function whateverSettles(fittings: readonly Fitting[]): Fitting {
  return (
    fittings.find(({ answer }) => answer === 'fits') ??
    fittings.find(({ answer }) => answer === 'cannot_fit') ??
    NOT_PROVABLE
  );
}

/** The same answer, said about a place further down in the value. */
export function under(token: string, fitting: Fitting): Fitting {
  if (fitting.misfits.length === 0) return fitting;
  return { ...fitting, misfits: fitting.misfits.map(({ path, message }) => ({ path: token + path, message })) };
}

/** A part that may be missing cannot condemn the whole. */
export function ifPresent(fitting: Fitting): Fitting {
  return fitting.answer === 'cannot_fit' ? NOT_PROVABLE : fitting;
}
