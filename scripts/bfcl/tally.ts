import { type Case, sortCalls } from './cases.ts';
import { openCallTester } from './offer-call.ts';

/** The last line of `--json`. */
export interface Tally {
  readonly valid: number;
  readonly false_rejects: number;
  readonly invalid: number;
  readonly false_accepts: number;
}

export interface Mistake {
  readonly id: string;
  readonly tool: string;
  readonly kind: 'valid, but refused' | 'invalid, but accepted';
}

/** Offers every call of every case and counts wrong answers. */
export async function tally(
  cases: readonly Case[],
  seen: (done: number) => void,
): Promise<{ readonly counts: Tally; readonly mistakes: readonly Mistake[] }> {
  const mistakes: Mistake[] = [];
  let valid = 0;
  let invalid = 0;
  for (const [place, one] of cases.entries()) {
    const sorted = sortCalls(one);
    valid += sorted.valid.length;
    invalid += sorted.invalid.length;
    const counter = openCallTester(one);
    for (const call of sorted.valid) {
      if (await counter.offer(call)) continue;
      mistakes.push({ id: one.id, tool: call.function, kind: 'valid, but refused' });
    }
    for (const call of sorted.invalid) {
      if (!(await counter.offer(call))) continue;
      mistakes.push({ id: one.id, tool: call.function, kind: 'invalid, but accepted' });
    }
    seen(place + 1);
  }
  const false_rejects = mistakes.filter(({ kind }) => kind === 'valid, but refused').length;
  return { counts: { valid, false_rejects, invalid, false_accepts: mistakes.length - false_rejects }, mistakes };
}
