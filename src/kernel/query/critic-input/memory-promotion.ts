import type { MemoryEntry, MemoryProposal, MemoryRuling } from '../../../model/evidence/memory.ts';
import { isJsonList, type Json, own } from '../../../model/json/json.ts';
import { sameJson } from '../../../model/json/json-at.ts';
import { remaining } from '../../budget/view.ts';
import type { KernelEnv } from '../../env.ts';
import { hasRule } from '../../state/rules.ts';
import type { Fact, RunState } from '../../state/run-state.ts';
import type { Support } from '../../verify/verify-context.ts';
import { supportOf } from '../evidence/support.ts';
import { doneSteps } from '../plan/steps.ts';

/** The reason codes for a source that is not verified. */
const NOT_SUPPORTED: Readonly<Record<Exclude<Support, 'verified'> | 'unknown', string>> = {
  stale: 'stale_source',
  discarded: 'discarded_note',
  assumed: 'assumption',
  failed: 'transient_failure',
  unknown: 'unverified_source',
};

/**
 * Rules on proposals for long-term memory. An entry needs sources verified in this run, a value that they support, an
 * expiry and labels. The number of entries is limited by the memory writes that are left.
 */
export function ruleOnMemory(
  env: Pick<KernelEnv, 'tools'>,
  state: RunState,
  proposals: readonly MemoryProposal[],
  validator: string,
): readonly MemoryRuling[] {
  const facts = new Map(doneSteps(state).map(({ fact }) => [fact.evidenceId, fact]));
  let left = state.budget === null ? 0 : remaining(state.budget).memory_writes;
  return proposals.map((proposal): MemoryRuling => {
    const { proposal_id } = proposal;
    const reasons = [...reasonsAgainst(state, facts, proposal), ...wrongType(env, state, facts, proposal)];
    const promoted = reasons.length > 0 ? null : buildEntry(state, facts, proposal, validator);
    if (promoted === null) return { proposal_id, promoted, reasons };
    if (left < 1) return { proposal_id, promoted: null, reasons: ['budget_exhausted'] };
    left -= 1;
    return { proposal_id, promoted, reasons };
  });
}

/** A key names the type of what is stored under it. A model could otherwise store one kind of fact as another. */
function wrongType(
  { tools }: Pick<KernelEnv, 'tools'>,
  state: RunState,
  facts: Facts,
  { key, evidence_refs }: MemoryProposal,
): readonly string[] {
  if (!hasRule(state, 'memory_trust')) return [];
  const isOfType = (id: string): boolean => {
    const fact = facts.get(id);
    return fact === undefined || tools.get(fact.source)?.produces.includes(key) === true;
  };
  return evidence_refs.every(isOfType) ? [] : ['wrong_type'];
}

/** Whether a model that had read untrusted text nominated this entry. */
const isNominatedUntrusted = ({ work }: RunState, { key, value }: MemoryProposal): boolean =>
  work.nominated?.some((each) => each.untrusted === true && each.key === key && sameJson(each.value, value)) === true;

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

/** The value to store: the named evidence, or a literal value that the evidence supports. Undefined if it does not. */
function groundedValue(facts: Facts, { value, evidence_refs }: MemoryProposal): Json | undefined {
  const evidenceId = readEvidenceRef(value);
  if (evidenceId !== null) return evidence_refs.includes(evidenceId) ? facts.get(evidenceId)?.value : undefined;
  return evidence_refs.some((id) => containsValue(facts.get(id)?.value, value)) ? value : undefined;
}

function readEvidenceRef(value: Json): string | null {
  if (typeof value !== 'object' || value === null || isJsonList(value)) return null;
  const evidence = own(value, 'evidence');
  return typeof evidence === 'string' && Object.keys(value).length === 1 ? evidence : null;
}

/** Whether the observed value contains the claimed one: an equal value, or an object with at least these fields. */
function containsValue(observed: Json | undefined, claimed: Json): boolean {
  if (observed === undefined) return false;
  if (sameJson(observed, claimed)) return true;
  if (typeof observed !== 'object' || observed === null || isJsonList(observed)) return false;
  if (typeof claimed !== 'object' || claimed === null || isJsonList(claimed)) return false;
  const fields = Object.entries(claimed);
  return fields.length > 0 && fields.every(([field, value]) => containsValue(own(observed, field), value));
}

function buildEntry(state: RunState, facts: Facts, proposal: MemoryProposal, validator: string): MemoryEntry | null {
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
    trusted: evidence_refs.every((id) => facts.get(id)?.trusted === true) && !isNominatedUntrusted(state, proposal),
    promoted_at: state.now,
    expires_at,
    originating_run: state.id.runId,
    quarantined: false,
  };
}
