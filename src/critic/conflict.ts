import type { Finding } from '../model/critic/verdict.ts';
import type { SourcedFact } from '../model/evidence/evidence.ts';
import { sameJson } from '../model/json/json-at.ts';
import { finding } from './evaluators/evaluator.ts';

/**
 * Finds contradictions among committed facts: the same path of the same type about the same subject, with different
 * values. A finding names both pieces of evidence, because it freezes the claims and not the observations. Its severity
 * is high if the goal depends on the fact and the sources do not settle it.
 */
export function detectConflict(facts: readonly SourcedFact[]): readonly Finding[] {
  const places = Map.groupBy(facts, ({ type, subject, path }) => JSON.stringify([type, subject, path]));
  return [...places.values()].flatMap((candidates): readonly Finding[] => {
    const prevailing = settled(candidates);
    const against = prevailing ?? candidates[0];
    if (against === undefined) return [];
    const grave = prevailing === null && candidates.some(({ critical }) => critical);
    const others = candidates.filter(({ value }) => !sameJson(against.value, value));
    return others.map((other) => conflict(against, other, grave ? 'high' : 'low'));
  });
}

/**
 * The fact that settles a contradiction: trusted sources count before all others, and among equals the majority value
 * wins. Null if there is no majority.
 */
function settled(candidates: readonly SourcedFact[]): SourcedFact | null {
  const trusted = candidates.filter((fact) => fact.trusted);
  const groups: SourcedFact[][] = [];
  for (const fact of trusted.length > 0 ? trusted : candidates) {
    const group = groups.find(([first]) => first !== undefined && sameJson(first.value, fact.value));
    if (group === undefined) groups.push([fact]);
    else group.push(fact);
  }
  const [most, next] = groups.toSorted((a, b) => b.length - a.length);
  return most !== undefined && most.length > (next?.length ?? 0) ? (most[0] ?? null) : null;
}

function conflict(a: SourcedFact, b: SourcedFact, severity: Finding['severity']): Finding {
  const place = b.path === '' ? b.type : `${b.type}${b.path}`;
  const detail = `${a.evidence_id} and ${b.evidence_id} disagree on ${place} of ${b.subject}: ${a.source}, ${b.source}`;
  return { ...finding('source_conflict', severity, detail), refs: [a.evidence_id, b.evidence_id] };
}
