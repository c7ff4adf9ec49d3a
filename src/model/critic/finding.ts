import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { Name, Text } from '../json/name.ts';

/** The kinds of observation that an evaluator cannot express as a score. The kernel has a rule for each kind. */
export const FINDING_KINDS = [
  'source_conflict',
  'low_confidence',
  'unsafe',
  'unexpected_evidence',
  'assumption_disproved',
  'goal_divergence',
  'grounding_violation',
  'judges_disagree',
  'judges_object',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export const FINDING_SEVERITIES = ['low', 'high'] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

export interface Finding {
  readonly kind: FindingKind;
  readonly severity: FindingSeverity;
  readonly detail: string;
  /** The subject of the finding, for example the evidence of both sides of a conflict. */
  readonly refs?: readonly string[];
  /** For `unsafe` only: credentials are confirmed, not only suspected, to be compromised. */
  readonly compromised?: true;
}
export const Finding: z.ZodType<Finding> = exactObject({
  kind: z.enum(FINDING_KINDS),
  severity: z.enum(FINDING_SEVERITIES),
  detail: Text,
  refs: z.array(Name).exactOptional(),
  compromised: z.literal(true).exactOptional(),
});
