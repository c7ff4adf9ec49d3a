import type { Finding } from '../model/finding.ts';
import { sameJson } from '../model/json-at.ts';
import type { SourcedFact } from '../model/sourced-fact.ts';
import { finding } from './assessment.ts';

/**
 * Contradictions among committed facts: the same place of the same type about the same subject, with different
 * values. Both pieces of evidence are named, because the contradiction freezes what was said and not what was seen.
 * It is grave where the goal hangs on it and the sources do not settle it among themselves.
 */
export function detectConflict(facts: readonly SourcedFact[]): readonly Finding[] {
  const places = Map.groupBy(facts, ({ type, subject, path }) => JSON.stringify([type, subject, path]));
  return [...places.values()].flatMap((said): readonly Finding[] => {
    const prevailing = settled(said);
    const against = prevailing ?? said[0];
    if (against === undefined) return [];
    const grave = prevailing === null && said.some(({ critical }) => critical);
    const others = said.filter(({ value }) => !sameJson(against.value, value));
    return others.map((other) => conflict(against, other, grave ? 'high' : 'low'));
  });
}

/**
 * What sources settle among themselves: a trusted one counts before any that is not, and among equals the value that
 * most of them give. Null where that leaves two or more.
 */
function settled(said: readonly SourcedFact[]): SourcedFact | null {
  const trusted = said.filter((fact) => fact.trusted);
  const groups: SourcedFact[][] = [];
  for (const fact of trusted.length > 0 ? trusted : said) {
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
