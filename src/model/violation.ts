import { z } from 'zod';

export const VIOLATION_KINDS = ['transition', 'proposal', 'state_write', 'claim', 'reflection'] as const;
export type ViolationKind = (typeof VIOLATION_KINDS)[number];

/** Something outside the rights of whoever did it. It changed nothing, and it is on record. */
export interface Violation {
  readonly violation: ViolationKind;
  readonly subject: string;
  readonly why: string;
  /** Present where a model reached for a right that nobody gave it. */
  readonly indicator?: 'permission_creep';
}

/** The fields of it, for the event that holds one. */
export const VIOLATION_SHAPE: { readonly [F in keyof Violation]-?: z.ZodType } = {
  violation: z.enum(VIOLATION_KINDS),
  subject: z.string(),
  why: z.string(),
  indicator: z.literal('permission_creep').exactOptional(),
};
