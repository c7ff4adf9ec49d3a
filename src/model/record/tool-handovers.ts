import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import type { JsonObject } from '../json/json.ts';
import { JsonRecord } from '../json/json-value.ts';
import { Name } from '../json/name.ts';
import { RUNGS, type Rung } from '../tool/observation.ts';
import { EventPointer } from './trace.ts';

/** A requested call, and the input schema it was checked against. */
export interface CallSignature {
  readonly call_id: string;
  readonly step_id: string;
  readonly tool: string;
  readonly args_hash: string;
  readonly input_schema: JsonObject;
}
/** The gateway's ruling on a step before dispatch. */
export interface Eligibility {
  readonly step_id: string;
  readonly eligible: boolean;
  readonly mode: string | null;
  readonly gates: readonly string[];
  readonly layer: string | null;
  readonly reason: string | null;
}
/** The reason for a plan repair. */
export interface RepairTrace {
  readonly code: string;
  readonly step_id: string | null;
  readonly message: string;
}

/** For owners of tool contracts. */
export interface ToolContracts {
  readonly run_id: string;
  readonly requests: readonly CallSignature[];
  readonly eligibility: readonly Eligibility[];
  readonly repairs: readonly RepairTrace[];
}
export const ToolContracts: z.ZodType<ToolContracts> = exactObject({
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

/** The rung of a call on the grounding ladder, with its outcome and evidence. */
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

/** For the verification of actions: the attempted, observed, verified and committed calls. */
export interface GroundedObservations {
  readonly run_id: string;
  readonly calls: readonly GroundedCall[];
}
export const GroundedObservations: z.ZodType<GroundedObservations> = exactObject({
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

/** For production diagnostics: the outcomes of each attempt, breaches, shortages and replans. */
export interface RetryHistory {
  readonly run_id: string;
  readonly steps: readonly { readonly step_id: string; readonly tool: string; readonly outcomes: readonly string[] }[];
  readonly breaches: readonly { readonly kind: string; readonly subject: string; readonly why: string }[];
  readonly shortages: readonly string[];
  readonly replans: number;
}
export const RetryHistory: z.ZodType<RetryHistory> = exactObject({
  run_id: Name,
  steps: z.array(z.strictObject({ step_id: Name, tool: Name, outcomes: z.array(Name) })),
  breaches: z.array(z.strictObject({ kind: Name, subject: z.string(), why: z.string() })),
  shortages: z.array(Name),
  replans: z.int().nonnegative(),
});
