import { z } from 'zod';
import { ContentAddress } from './content-address.ts';
import { FAULT_CODES, type FaultCode } from './fault-table.ts';
import type { Address } from './hash.ts';
import type { JsonObject } from './json.ts';
import { JsonRecord } from './json-schema.ts';
import { Name, Text } from './name.ts';
import { ToolCost } from './tool.ts';

/** What a model is asked for. Each has its own profile, and none of them can reach a tool. */
export const MODEL_ROLES = ['planner', 'executor', 'judge', 'compressor', 'reflector', 'classifier'] as const;
export type ModelRole = (typeof MODEL_ROLES)[number];
export const ModelRole: z.ZodType<ModelRole> = z.enum(MODEL_ROLES);

/** How one request to a model came out. */
export const MODEL_OUTCOMES = ['answered', 'truncated', 'refused', 'failed', 'timed_out', 'called_back'] as const;
export type ModelOutcome = (typeof MODEL_OUTCOMES)[number];

/** Whether a request that failed may be made again as it is. */
export const MODEL_SEVERITIES = ['RETRIABLE', 'CRITICAL'] as const;
export type ModelSeverity = (typeof MODEL_SEVERITIES)[number];

/** Why a request failed, with words for the user of the agent. */
export interface ModelFailure {
  readonly code: FaultCode;
  readonly severity: ModelSeverity;
  readonly user_message: string;
}
const ModelFailure: z.ZodType<ModelFailure> = z.strictObject({
  code: z.enum(FAULT_CODES),
  severity: z.enum(MODEL_SEVERITIES),
  user_message: Text,
});

/** Where a request and its answer come from and what they cost: one for every request, the failed ones included. */
export interface ModelCall {
  readonly role: ModelRole;
  /** The profile that was asked, and the model behind it as its provider names it. */
  readonly profile: string;
  readonly model: string;
  /** The prompt template and its version: `plan_first@1`. */
  readonly template: string;
  readonly parameters: JsonObject;
  readonly prompt: Address;
  /** Null where nothing came back. */
  readonly response: Address | null;
  readonly outcome: ModelOutcome;
  /** 1 for the first request of a question; retries and fallbacks count on. */
  readonly attempt: number;
  readonly spent: ToolCost;
  /** Whether the provider said what it took. Where it did not, it is charged by estimate. */
  readonly measured: boolean;
  /** Present where it took more than was left of what may be spent on the question. Nothing is asked after it. */
  readonly overrun?: true;
  /** Present where no answer came of it that could be used. */
  readonly failure?: ModelFailure;
}
export const ModelCall: z.ZodType<ModelCall> = z.strictObject({
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
