import { z } from 'zod';

export const VIOLATION_KINDS = ['transition', 'proposal', 'state_write', 'claim', 'reflection', 'termination'] as const;
export type ViolationKind = (typeof VIOLATION_KINDS)[number];

const INDICATORS = ['permission_creep', 'premature_termination'] as const;

/** Something outside the rights of whoever did it. It changed nothing, and it is on record. */
export interface Violation {
  readonly violation: ViolationKind;
  readonly subject: string;
  readonly why: string;
  /** Present where a model reached for a right that nobody gave it, or said it was done before it was. */
  readonly indicator?: (typeof INDICATORS)[number];
}

/** The fields of it, for the event that holds one. */
export const VIOLATION_SHAPE: { readonly [F in keyof Violation]-?: z.ZodType } = {
  violation: z.enum(VIOLATION_KINDS),
  subject: z.string(),
  why: z.string(),
  indicator: z.enum(INDICATORS).exactOptional(),
};
