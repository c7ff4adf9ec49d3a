import { z } from 'zod';
import type { Json } from './json.ts';
import { JsonValue } from './json-schema.ts';
import { Instant, Name } from './name.ts';

/** By what a memory is withheld from those who may not read it. It keeps them for as long as it is kept itself. */
export interface MemoryLabels {
  readonly permission_scope: string;
  readonly personal_data: boolean;
  readonly authority: number;
}
export const MemoryLabels: z.ZodType<MemoryLabels> = z.strictObject({
  permission_scope: Name,
  personal_data: z.boolean(),
  authority: z.int().nonnegative(),
});

/** What a run nominates for long-term memory. Nothing is written until it was verified after the run. */
export interface MemoryProposal {
  readonly proposal_id: string;
  readonly run_id: string;
  readonly key: string;
  /** `{ "evidence": "ev_1" }` stands for what was observed under that id. */
  readonly value: Json;
  readonly effect_refs: readonly string[];
  readonly evidence_refs: readonly string[];
  /** Without one the promotion gate refuses it: nothing is remembered for ever by accident. */
  readonly expires_at: Instant | null;
  /** Who may read it later. Left out where nobody has settled that, and then it is not remembered either. */
  readonly labels?: MemoryLabels;
}
export const MemoryProposal: z.ZodType<MemoryProposal> = z.strictObject({
  proposal_id: Name,
  run_id: Name,
  key: Name,
  value: JsonValue,
  effect_refs: z.array(Name),
  evidence_refs: z.array(Name),
  expires_at: Instant.nullable(),
  labels: MemoryLabels.exactOptional(),
});

/** What a model would like to have remembered. It can only say so. */
export interface MemoryNomination {
  readonly key: string;
  readonly value: Json;
  /** Ids of the observations that it rests on. */
  readonly evidence: readonly string[];
}
export const MemoryNomination: z.ZodType<MemoryNomination> = z.strictObject({
  key: Name,
  value: JsonValue,
  evidence: z.array(Name).min(1, 'must name at least one source').max(20),
});

/** What a run leaves behind that might be worth remembering. */
export interface Memorable {
  readonly runId: string;
  readonly now: number;
  /** What it observed, by type, each with the effects that were had on the way to it. */
  readonly observed: readonly {
    readonly type: string;
    readonly evidence: string;
    readonly effects: readonly string[];
  }[];
  readonly nominated: readonly MemoryNomination[];
}

/** What was promoted: supported by sources, confirmed by a validator, and only until it expires. */
export interface MemoryEntry {
  readonly entry_id: string;
  readonly tenant_id: string;
  readonly key: string;
  readonly value: Json;
  readonly source_links: readonly string[];
  readonly validator_id: string;
  readonly labels: MemoryLabels;
  /** Everything it rests on comes from sources that are trusted. */
  readonly trusted: boolean;
  readonly promoted_at: Instant;
  readonly expires_at: Instant;
  readonly originating_run: string;
  readonly quarantined: boolean;
}
export const MemoryEntry: z.ZodType<MemoryEntry> = z.strictObject({
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

/** What the promotion gate made of one proposal. */
export interface MemoryRuling {
  readonly proposal_id: string;
  /** Null where it is not to be remembered. */
  readonly promoted: MemoryEntry | null;
  readonly reasons: readonly string[];
}
export const MemoryRuling: z.ZodType<MemoryRuling> = z.strictObject({
  proposal_id: Name,
  promoted: MemoryEntry.nullable(),
  reasons: z.array(Name),
});
