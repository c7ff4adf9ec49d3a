import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { Name, Statement } from '../json/name.ts';

/**
 * The proofs that a condition does not stop a call. Most prove it by an answer, a field that a tool declares in
 * `conditions`: the name of the user of the run, true, false, a text, a list of texts, or a limit that the
 * `amount` or `amount_cents` of the call keeps. `rollback` and `gate` prove it by declarations: a rollback of a destructive tool, a gate of the call.
 * `blast_radius` is proved by a text or by the declaration of the tool.
 */
export const CONDITION_PROOFS = [
  'requester',
  'true',
  'false',
  'list',
  'limit',
  'blast_radius',
  'rollback',
  'gate',
] as const;
export type ConditionProof = (typeof CONDITION_PROOFS)[number];

/** A condition of a boundary. It denies the calls that it governs, unless its proof is there. */
export interface BoundaryCondition {
  /** The name of the danger, such as `identity_mismatch`. */
  readonly condition: string;
  /** The danger in words, for people and planners. */
  readonly meaning: string;
  /** The actions that are denied until the proof is there. */
  readonly governs: readonly string[];
  readonly proof: ConditionProof;
  /** The name under which a tool declares the answer, such as `account_holder`. Absent if no answer can prove it. */
  readonly field?: string;
}
const ConditionFields: z.ZodType<BoundaryCondition> = exactObject({
  condition: Name,
  meaning: Statement,
  governs: z.array(Name),
  proof: z.enum(CONDITION_PROOFS),
  field: Name.exactOptional(),
});

const WITHOUT_ANSWER: readonly ConditionProof[] = ['rollback', 'gate'];

export const BoundaryCondition: z.ZodType<BoundaryCondition> = ConditionFields.refine(
  ({ proof, field }) => WITHOUT_ANSWER.includes(proof) === (field === undefined),
  { message: 'is the name of the answer, and is left out for the proofs rollback and gate', path: ['field'] },
);
