import type { Finding } from '../model/finding.ts';
import { finding } from './assessment.ts';
import type { SourcedFact } from './evaluator.ts';
import { sameJson } from './json-at.ts';

/**
 * Contradictions among committed facts: the same place of the same type about the same subject, with different
 * values. Each later fact is held against the first one, and both pieces of evidence are named, because the
 * contradiction freezes what was said and not what was seen.
 */
export function detectConflict(facts: readonly SourcedFact[]): readonly Finding[] {
  const first = new Map<string, SourcedFact>();
  const findings: Finding[] = [];
  for (const fact of facts) {
    const about = JSON.stringify([fact.type, fact.subject, fact.path]);
    const before = first.get(about);
    if (before === undefined) first.set(about, fact);
    else if (!sameJson(before.value, fact.value)) findings.push(conflict(before, fact));
  }
  return findings;
}

function conflict(a: SourcedFact, b: SourcedFact): Finding {
  const severity = a.critical || b.critical ? 'high' : 'low';
  const place = b.path === '' ? b.type : `${b.type}${b.path}`;
  const detail = `${a.evidence_id} and ${b.evidence_id} disagree on ${place} of ${b.subject}`;
  return { ...finding('source_conflict', severity, detail), refs: [a.evidence_id, b.evidence_id] };
}
