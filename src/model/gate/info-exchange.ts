import { z } from 'zod';
import { exact, exactObject } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import { Instant, Name, Text } from '../json/name.ts';
import { GATE_DECISIONS, type GateDecisionKind } from './gate.ts';
import { RUN_DECISIONS, type RunDecisionKind } from './signing-text.ts';

/** A decider's question about a gate, the person it went to, and the answer. */
export interface InfoExchange {
  readonly asked_by: string;
  readonly asked_of: string;
  readonly question: string;
  readonly asked_at: Instant;
  readonly answered_by: string;
  /** The answer, in the answering person's own words. */
  readonly text: string | null;
  /** Addresses of the evidence cited in the answer. */
  readonly evidence: readonly Address[];
  readonly answered_at: Instant;
}
export const InfoExchange: z.ZodType<InfoExchange> = exactObject({
  asked_by: Name,
  asked_of: Name,
  question: Text,
  asked_at: Instant,
  answered_by: Name,
  text: Text.nullable(),
  evidence: z.array(ContentAddress),
  answered_at: Instant,
});

/** Every decision a person can make about a gate or a run. Each can be refused, and the refusal is recorded. */
export type RefusedDecision = GateDecisionKind | 'provide_info' | RunDecisionKind;
export const RefusedDecision: z.ZodType<RefusedDecision> = exact(
  z.enum([...GATE_DECISIONS, 'provide_info', ...RUN_DECISIONS]),
);
