import { z } from 'zod';

/** What came of having credentials revoked. `unsupported`: whoever keeps them offers no way to; a person has to. */
export const REVOCATION_OUTCOMES = ['revoked', 'failed', 'unsupported'] as const;
export type RevocationOutcome = (typeof REVOCATION_OUTCOMES)[number];
export const RevocationOutcome: z.ZodType<RevocationOutcome> = z.enum(REVOCATION_OUTCOMES);
