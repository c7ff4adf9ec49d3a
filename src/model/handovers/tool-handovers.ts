import { z } from 'zod';
import type { JsonObject } from '../json.ts';
import { JsonRecord } from '../json-schema.ts';
import { Name } from '../name.ts';
import { RUNGS, type Rung } from '../observation.ts';
import { EventPointer } from '../trace.ts';

/** A call as it was asked for, against the schema it was held to. */
export interface CallSignature {
  readonly call_id: string;
  readonly step_id: string;
  readonly tool: string;
  readonly args_hash: string;
  readonly input_schema: JsonObject;
}
/** What the gateway said of a step before anything was sent. */
export interface Eligibility {
  readonly step_id: string;
  readonly eligible: boolean;
  readonly mode: string | null;
  readonly gates: readonly string[];
  readonly layer: string | null;
  readonly reason: string | null;
}
/** Why a plan had to be mended. */
export interface RepairTrace {
  readonly code: string;
  readonly step_id: string | null;
  readonly message: string;
}

/** For whoever owns tool contracts. */
export interface ToolContracts {
  readonly run_id: string;
  readonly requests: readonly CallSignature[];
  readonly eligibility: readonly Eligibility[];
  readonly repairs: readonly RepairTrace[];
}
export const ToolContracts: z.ZodType<ToolContracts> = z.strictObject({
  run_id: Name,
  requests: z.array(
    z.strictObject({ call_id: Name, step_id: Name, tool: Name, args_hash: Name, input_schema: JsonRecord }),
  ),
  eligibility: z.array(
    z.strictObject({
      step_id: Name,
      eligible: z.boolean(),
      mode: Name.nullable(),
      gates: z.array(Name),
      layer: Name.nullable(),
      reason: z.string().nullable(),
    }),
  ),
  repairs: z.array(z.strictObject({ code: Name, step_id: Name.nullable(), message: z.string() })),
});

/** How far a call has come on the grounding ladder, and what it left there. */
export interface GroundedCall {
  readonly call_id: string;
  readonly step_id: string;
  readonly tool: string;
  readonly rung: Rung;
  readonly outcome: string | null;
  readonly observation: EventPointer | null;
  readonly validator: string | null;
  readonly evidence_id: string | null;
  readonly state_version: number | null;
}

/** For whoever verifies actions: what was attempted, observed, verified and committed, told apart. */
export interface GroundedObservations {
  readonly run_id: string;
  readonly calls: readonly GroundedCall[];
}
export const GroundedObservations: z.ZodType<GroundedObservations> = z.strictObject({
  run_id: Name,
  calls: z.array(
    z.strictObject({
      call_id: Name,
      step_id: Name,
      tool: Name,
      rung: z.enum(RUNGS),
      outcome: Name.nullable(),
      observation: EventPointer.nullable(),
      validator: Name.nullable(),
      evidence_id: Name.nullable(),
      state_version: z.int().positive().nullable(),
    }),
  ),
});

/** For whoever looks for what goes wrong in production: what was tried again, and what was broken. */
export interface RetryHistory {
  readonly run_id: string;
  readonly steps: readonly { readonly step_id: string; readonly tool: string; readonly outcomes: readonly string[] }[];
  readonly breaches: readonly { readonly kind: string; readonly subject: string; readonly why: string }[];
  readonly shortages: readonly string[];
  readonly replans: number;
}
export const RetryHistory: z.ZodType<RetryHistory> = z.strictObject({
  run_id: Name,
  steps: z.array(z.strictObject({ step_id: Name, tool: Name, outcomes: z.array(Name) })),
  breaches: z.array(z.strictObject({ kind: Name, subject: z.string(), why: z.string() })),
  shortages: z.array(Name),
  replans: z.int().nonnegative(),
});
