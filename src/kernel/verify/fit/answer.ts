/** The relation of a producer to a consumer, before any value exists. */
export type Fit = 'fits' | 'cannot_fit' | 'not_provable';

/** A place in the value, as a JSON Pointer, where no value of the producer is accepted. */
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

/** Combines demands that must all be met. One that cannot be met decides, and all of those are reported. */
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

/** Combines alternatives of the producer. The answer is certain only if it holds for all of them. */
export function combineAlternatives(fittings: readonly Fitting[]): Fitting {
  const [first] = fittings;
  if (first === undefined || fittings.every(({ answer }) => answer === 'fits')) return FITS;
  return fittings.every(({ answer }) => answer === 'cannot_fit') ? first : NOT_PROVABLE;
}

/** Combines schemas that all describe the producer. One certain answer decides. */
export function combineDescriptions(fittings: readonly Fitting[]): Fitting {
  return (
    fittings.find(({ answer }) => answer === 'fits') ??
    fittings.find(({ answer }) => answer === 'cannot_fit') ??
    NOT_PROVABLE
  );
}

/** Moves the misfits below `token`. */
export function movePathsBelow(token: string, fitting: Fitting): Fitting {
  if (fitting.misfits.length === 0) return fitting;
  return { ...fitting, misfits: fitting.misfits.map(({ path, message }) => ({ path: token + path, message })) };
}

/** Weakens `cannot_fit`, because an optional part may be absent. */
export function ofOptionalPart(fitting: Fitting): Fitting {
  return fitting.answer === 'cannot_fit' ? NOT_PROVABLE : fitting;
}
