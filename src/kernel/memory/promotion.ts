import { isJsonList, type Json } from '../../model/json.ts';
import type { MemoryEntry, MemoryProposal, MemoryRuling } from '../../model/memory.ts';
import { own } from '../../model/own.ts';
import { remaining } from '../budget-view.ts';
import { doneSteps } from '../done-steps.ts';
import type { Fact, RunState } from '../state.ts';
import { supportOf } from '../support.ts';
import { sameJson } from '../verify/same-json.ts';
import type { Support } from '../verify/verify-context.ts';

/** What each kind of support that is none is called when somebody would like it remembered. */
const NOT_SUPPORTED: Readonly<Record<Exclude<Support, 'verified'> | 'unknown', string>> = {
  stale: 'stale_source',
  discarded: 'discarded_note',
  assumed: 'assumption',
  failed: 'transient_failure',
  unknown: 'unverified_source',
};

/**
 * The gate before long-term memory. It asks for sources that were verified in this run, for a value that is what they
 * say, for an end, and for labels; what lacks one of them is not remembered. What passes is counted: no more of it is
 * let through than the run may still write.
 */
export function ruleOnMemory(
  state: RunState,
  proposals: readonly MemoryProposal[],
  validator: string,
): readonly MemoryRuling[] {
  const facts = new Map(doneSteps(state).map(({ fact }) => [fact.evidenceId, fact]));
  let left = state.budget === null ? 0 : remaining(state.budget).memory_writes;
  return proposals.map((proposal): MemoryRuling => {
    const { proposal_id } = proposal;
    const reasons = reasonsAgainst(state, facts, proposal);
    const promoted = reasons.length > 0 ? null : entryOf(state, facts, proposal, validator);
    if (promoted === null) return { proposal_id, promoted, reasons };
    if (left < 1) return { proposal_id, promoted: null, reasons: ['budget_exhausted'] };
    left -= 1;
    return { proposal_id, promoted, reasons };
  });
}

type Facts = ReadonlyMap<string, Fact>;

function reasonsAgainst(state: RunState, facts: Facts, proposal: MemoryProposal): readonly string[] {
  const { evidence_refs, expires_at, labels } = proposal;
  const reasons = new Set<string>();
  if (state.manifest?.autonomy_boundary.state_writes.persistent_memory === 'refused') reasons.add('boundary_refuses');
  if (evidence_refs.length === 0) reasons.add('evidence_missing');
  for (const id of evidence_refs) {
    const support = facts.has(id) ? supportOf(state, id) : (supportOf(state, id) ?? 'unknown');
    if (support !== 'verified') reasons.add(NOT_SUPPORTED[support ?? 'unknown']);
    else if (!facts.has(id)) reasons.add(NOT_SUPPORTED.unknown);
    if (state.work.disputed.includes(id)) reasons.add('source_conflict');
  }
  if (reasons.size === 0 && groundedValue(facts, proposal) === undefined) reasons.add('ungrounded');
  if (expires_at === null) reasons.add('expiry_missing');
  else if (expires_at <= state.now) reasons.add('expired');
  if (labels === undefined) reasons.add('labels_missing');
  return [...reasons];
}

/** What would be remembered: what the evidence says, or the part of it that was named. Undefined where it says something else. */
function groundedValue(facts: Facts, { value, evidence_refs }: MemoryProposal): Json | undefined {
  const referred = evidenceIn(value);
  if (referred !== null) return evidence_refs.includes(referred) ? facts.get(referred)?.value : undefined;
  return evidence_refs.some((id) => holds(facts.get(id)?.value, value)) ? value : undefined;
}

function evidenceIn(value: Json): string | null {
  if (typeof value !== 'object' || value === null || isJsonList(value)) return null;
  const evidence = own(value, 'evidence');
  return typeof evidence === 'string' && Object.keys(value).length === 1 ? evidence : null;
}

/** Whether what was observed says at least this: the same value, or an object that has all of these fields. */
function holds(observed: Json | undefined, claimed: Json): boolean {
  if (observed === undefined) return false;
  if (sameJson(observed, claimed)) return true;
  if (typeof observed !== 'object' || observed === null || isJsonList(observed)) return false;
  if (typeof claimed !== 'object' || claimed === null || isJsonList(claimed)) return false;
  const fields = Object.entries(claimed);
  return fields.length > 0 && fields.every(([field, value]) => holds(own(observed, field), value));
}

function entryOf(state: RunState, facts: Facts, proposal: MemoryProposal, validator: string): MemoryEntry | null {
  const { proposal_id, key, evidence_refs, expires_at, labels } = proposal;
  const value = groundedValue(facts, proposal);
  if (value === undefined || expires_at === null || labels === undefined) return null;
  return {
    entry_id: proposal_id,
    tenant_id: state.id.tenantId,
    key,
    value,
    source_links: evidence_refs,
    validator_id: validator,
    labels,
    trusted: evidence_refs.every((id) => facts.get(id)?.trusted === true),
    promoted_at: state.now,
    expires_at,
    originating_run: state.id.runId,
    quarantined: false,
  };
}
