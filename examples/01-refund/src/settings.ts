import type { AmbitOptions, Rules } from 'ambit';

/** Calls are sent within a second or not at all, so that a call in doubt is settled quickly. */
export const LIMITS: NonNullable<AmbitOptions['limits']> = { dispatchWindowMs: 1_000 };

/** Only finance may approve a payment. */
export const POLICY: Partial<Rules> = { gates: { GATE_FINANCE_APPROVAL: { roles: ['finance'] } } };
