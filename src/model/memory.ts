import { z } from 'zod';
import type { Json } from './json.ts';
import { JsonValue } from './json-schema.ts';
import { Instant, Name } from './name.ts';

/** What a run nominates for long-term memory. Nothing is written until it was verified after the run. */
export interface MemoryProposal {
  readonly proposal_id: string;
  readonly run_id: string;
  readonly key: string;
  readonly value: Json;
  readonly effect_refs: readonly string[];
  readonly evidence_refs: readonly string[];
  /** Without one the promotion gate refuses it: nothing is remembered for ever by accident. */
  readonly expires_at: Instant | null;
}
export const MemoryProposal: z.ZodType<MemoryProposal> = z.strictObject({
  proposal_id: Name,
  run_id: Name,
  key: Name,
  value: JsonValue,
  effect_refs: z.array(Name),
  evidence_refs: z.array(Name),
  expires_at: Instant.nullable(),
});

/** What was promoted: supported by sources, confirmed by a validator, and only until it expires. */
export interface MemoryEntry {
  readonly entry_id: string;
  readonly tenant_id: string;
  readonly key: string;
  readonly value: Json;
  readonly source_links: readonly string[];
  readonly validator_id: string;
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
  expires_at: Instant,
  originating_run: Name,
  quarantined: z.boolean(),
});
