import type { EventBody } from '../model/events/event.ts';
import type { Memorable, MemoryLabels, MemoryProposal } from '../model/evidence/memory.ts';
import { own } from '../model/json/json.ts';

/** How long an entry under one key is kept, and its labels. */
export interface KeepTerms extends MemoryLabels {
  readonly ttl_ms: number;
}

/** The host's memory settings by key. Other keys are not remembered. */
export interface MemoryTerms {
  readonly validator: string;
  readonly keep: Readonly<Record<string, KeepTerms>>;
}

/** Builds memory proposals from observed evidence and from the models' nominations. Writes nothing. */
export function proposeMemory(left: Memorable, terms: MemoryTerms | null): EventBody {
  const { runId, now, observed, nominated } = left;
  const candidates = [
    ...observed.map(({ type: key, evidence, effects }) => ({
      key,
      value: { evidence },
      effect_refs: effects,
      evidence_refs: [evidence],
    })),
    ...nominated.map(({ key, value, evidence }) => ({ key, value, effect_refs: [], evidence_refs: evidence })),
  ];
  const proposals = candidates.map(
    (candidate, place): MemoryProposal => ({
      proposal_id: `${runId}_memory_${place + 1}`,
      run_id: runId,
      ...candidate,
      ...keptFor(terms, candidate.key, now),
    }),
  );
  const body = { type: 'memory_proposed', proposals } as const;
  return terms === null ? body : { ...body, validator: terms.validator };
}

function keptFor(terms: MemoryTerms | null, key: string, now: number): Pick<MemoryProposal, 'expires_at' | 'labels'> {
  const kept = terms === null ? undefined : own(terms.keep, key);
  if (kept === undefined) return { expires_at: null };
  const { ttl_ms, ...labels } = kept;
  return { expires_at: now + ttl_ms, labels };
}
