import { z } from 'zod';
import { FAULT_CODES, type FaultCode } from '../fault/fault-table.ts';
import { exactObject, JsonRecord } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import type { JsonObject } from '../json/json.ts';
import { Name, Text } from '../json/name.ts';
import { ToolCost } from '../tool/tool.ts';

/** The purposes of a model request. Each has its own profile, and none has access to tools. */
export const MODEL_ROLES = ['planner', 'executor', 'judge', 'compressor', 'reflector', 'classifier'] as const;
export type ModelRole = (typeof MODEL_ROLES)[number];
export const ModelRole: z.ZodType<ModelRole> = z.enum(MODEL_ROLES);

/** The outcomes of one model request. */
export const MODEL_OUTCOMES = ['answered', 'truncated', 'refused', 'failed', 'timed_out', 'called_back'] as const;
export type ModelOutcome = (typeof MODEL_OUTCOMES)[number];

/** Tells if a failed request may be repeated unchanged. */
export const MODEL_SEVERITIES = ['RETRIABLE', 'CRITICAL'] as const;
export type ModelSeverity = (typeof MODEL_SEVERITIES)[number];

/** The reason of a failed request, with a message for the user of the agent. */
export interface ModelFailure {
  readonly code: FaultCode;
  readonly severity: ModelSeverity;
  readonly user_message: string;
}
const ModelFailure: z.ZodType<ModelFailure> = exactObject({
  code: z.enum(FAULT_CODES),
  severity: z.enum(MODEL_SEVERITIES),
  user_message: Text,
});

/** The provenance and cost of one model request. Failed requests are recorded too. */
export interface ModelCall {
  readonly role: ModelRole;
  /** The requested profile; `model` is its model by the provider's name. */
  readonly profile: string;
  readonly model: string;
  /** The prompt template and its version: `plan_first@1`. */
  readonly template: string;
  readonly parameters: JsonObject;
  readonly prompt: Address;
  /** Null if there was no answer. */
  readonly response: Address | null;
  readonly outcome: ModelOutcome;
  /** 1 for the first request of a question; retries and fallbacks increment it. */
  readonly attempt: number;
  readonly spent: ToolCost;
  /** True if the provider reported the usage; otherwise `spent` is an estimate. */
  readonly measured: boolean;
  /** Present if the request exceeded the remaining budget of the question. No request follows it. */
  readonly overrun?: true;
  /** Present if the request brought no usable answer. */
  readonly failure?: ModelFailure;
}
export const ModelCall: z.ZodType<ModelCall> = exactObject({
  role: ModelRole,
  profile: Name,
  model: Name,
  template: Name,
  parameters: JsonRecord,
  prompt: ContentAddress,
  response: ContentAddress.nullable(),
  outcome: z.enum(MODEL_OUTCOMES),
  attempt: z.int().positive(),
  spent: ToolCost,
  measured: z.boolean(),
  overrun: z.literal(true).exactOptional(),
  failure: ModelFailure.exactOptional(),
});
