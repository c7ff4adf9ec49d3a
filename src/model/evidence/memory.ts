import { z } from 'zod';
import { exactObject, JsonValue } from '../json/exact.ts';
import type { Json } from '../json/json.ts';
import { Instant, Name } from '../json/name.ts';

/** The labels that restrict who may read a memory. They stay with it as long as it exists. */
export interface MemoryLabels {
  readonly permission_scope: string;
  readonly personal_data: boolean;
  readonly authority: number;
}
export const MemoryLabels: z.ZodType<MemoryLabels> = exactObject({
  permission_scope: Name,
  personal_data: z.boolean(),
  authority: z.int().nonnegative(),
});

/** A run's proposal for long-term memory. It is stored only after verification at the end of the run. */
export interface MemoryProposal {
  readonly proposal_id: string;
  readonly run_id: string;
  readonly key: string;
  /** `{ "evidence": "ev_1" }` refers to the observation with that id. */
  readonly value: Json;
  readonly effect_refs: readonly string[];
  readonly evidence_refs: readonly string[];
  /** The promotion gate refuses a proposal without an expiry, so that no memory is permanent by accident. */
  readonly expires_at: Instant | null;
  /** The read restrictions. A proposal without labels is not promoted. */
  readonly labels?: MemoryLabels;
}
export const MemoryProposal: z.ZodType<MemoryProposal> = exactObject({
  proposal_id: Name,
  run_id: Name,
  key: Name,
  value: JsonValue,
  effect_refs: z.array(Name),
  evidence_refs: z.array(Name),
  expires_at: Instant.nullable(),
  labels: MemoryLabels.exactOptional(),
});

/** A model's suggestion for long-term memory. It has no effect by itself. */
export interface MemoryNomination {
  readonly key: string;
  readonly value: Json;
  /** Ids of the observations that support the suggestion. */
  readonly evidence: readonly string[];
}
/** A nomination as the run keeps it. */
export interface KeptNomination extends MemoryNomination {
  /** The model had read untrusted text when it nominated the entry. */
  readonly untrusted?: true;
}
export const MemoryNomination: z.ZodType<MemoryNomination> = exactObject({
  key: Name,
  value: JsonValue,
  evidence: z.array(Name).min(1, 'must name at least one source').max(20),
});

/** The candidates for long-term memory at the end of a run. */
export interface Memorable {
  readonly runId: string;
  readonly now: number;
  /** Observations by type, each with the effects that led to it. */
  readonly observed: readonly {
    readonly type: string;
    readonly evidence: string;
    readonly effects: readonly string[];
  }[];
  readonly nominated: readonly MemoryNomination[];
}

/** A promoted memory: supported by sources, confirmed by a validator, and valid until it expires. */
export interface MemoryEntry {
  readonly entry_id: string;
  readonly tenant_id: string;
  readonly key: string;
  readonly value: Json;
  readonly source_links: readonly string[];
  readonly validator_id: string;
  readonly labels: MemoryLabels;
  /** All its sources are trusted. */
  readonly trusted: boolean;
  readonly promoted_at: Instant;
  readonly expires_at: Instant;
  readonly originating_run: string;
  readonly quarantined: boolean;
}
export const MemoryEntry: z.ZodType<MemoryEntry> = exactObject({
  entry_id: Name,
  tenant_id: Name,
  key: Name,
  value: JsonValue,
  source_links: z.array(Name).min(1, 'must name at least one source'),
  validator_id: Name,
  labels: MemoryLabels,
  trusted: z.boolean(),
  promoted_at: Instant,
  expires_at: Instant,
  originating_run: Name,
  quarantined: z.boolean(),
});

/** The promotion gate's ruling on one proposal. */
export interface MemoryRuling {
  readonly proposal_id: string;
  /** Null if the proposal was refused. */
  readonly promoted: MemoryEntry | null;
  readonly reasons: readonly string[];
}
export const MemoryRuling: z.ZodType<MemoryRuling> = exactObject({
  proposal_id: Name,
  promoted: MemoryEntry.nullable(),
  reasons: z.array(Name),
});
