import type { Criterion, EvidenceByType } from './evaluator.ts';

/** A criterion and the evidence that shows it; null while nothing does. */
export interface CriterionOutcome {
  readonly id: string;
  readonly evidence: string | null;
}

/**
 * Met when evidence of its type has been committed. A criterion that names no type can only be shown by evidence
 * made for it: the recorded answer of a judge or of a person, whose type is the criterion's own id.
 */
export function checkCriterion(criterion: Criterion, known: EvidenceByType): CriterionOutcome {
  const type = criterion.evidence ?? criterion.id;
  return { id: criterion.id, evidence: (Object.hasOwn(known, type) ? known[type] : undefined) ?? null };
}

export function unmet(criteria: readonly Criterion[], known: EvidenceByType): readonly string[] {
  return criteria.filter((criterion) => checkCriterion(criterion, known).evidence === null).map(({ id }) => id);
}
