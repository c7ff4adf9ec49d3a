import { z } from 'zod';
import { ContentAddress } from './content-address.ts';
import type { Address } from './hash.ts';
import type { JsonObject } from './json.ts';
import { JsonRecord } from './json-schema.ts';
import { Name } from './name.ts';
import { ToolCost } from './tool.ts';

/** What a model is asked for. Each has its own profile, and none of them can reach a tool. */
export const MODEL_ROLES = ['planner', 'executor', 'judge', 'compressor', 'reflector', 'classifier'] as const;
export type ModelRole = (typeof MODEL_ROLES)[number];
export const ModelRole: z.ZodType<ModelRole> = z.enum(MODEL_ROLES);

/** How one request to a model came out. */
export const MODEL_OUTCOMES = ['answered', 'truncated', 'refused', 'failed', 'timed_out'] as const;
export type ModelOutcome = (typeof MODEL_OUTCOMES)[number];

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
});
