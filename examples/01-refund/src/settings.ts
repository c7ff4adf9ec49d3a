import type { AmbitOptions, Rules } from 'ambit';

/** A call that was not sent within a second is not sent any more, so that nobody waits long for one that is in doubt. */
export const LIMITS: NonNullable<AmbitOptions['limits']> = { dispatchWindowMs: 1_000 };

/** Money is for finance to release. */
export const POLICY: Partial<Rules> = { gates: { GATE_FINANCE_APPROVAL: { roles: ['finance'] } } };
