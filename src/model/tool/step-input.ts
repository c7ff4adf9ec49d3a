import { z } from 'zod';
import { exactObject, JsonValue } from '../json/exact.ts';
import { type Address, address, type Hash } from '../json/hash.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { Name } from '../json/name.ts';
import type { ToolSpec } from './tool.ts';

/** The committed result of an earlier step, for a step that names its context key in `inputs` (ADR 0094). */
export interface StepInput {
  readonly key: string;
  /** The evidence types that the result supplies, as its tool declares them. */
  readonly types: readonly string[];
  /** Sealed parts are handles. A result that is stored outside the journal is a reference. */
  readonly value: Json;
  /** The step that committed the result. */
  readonly step_id: string;
  readonly evidence_id: string;
  /** The tool that returned the result. */
  readonly source: string;
  readonly trusted: boolean;
}
export const StepInput: z.ZodType<StepInput> = exactObject({
  key: Name,
  types: z.array(Name),
  value: JsonValue,
  step_id: Name,
  evidence_id: Name,
  source: Name,
  trusted: z.boolean(),
});

/** The evidence ids of the inputs of a call, by context key. */
export type InputEvidence = Readonly<Record<string, string>>;

export const inputEvidence = (inputs: readonly StepInput[]): InputEvidence =>
  Object.fromEntries(inputs.map(({ key, evidence_id }) => [key, evidence_id]));

/**
 * The hash of a call: of its arguments, and of the values of its inputs if it has any. Two results with equal values
 * have one hash. A list cannot be mistaken for arguments, which are an object.
 */
export function hashCall(hash: Hash, args: JsonObject, inputs: readonly StepInput[] | undefined): Address {
  if (inputs === undefined || inputs.length === 0) return address(hash, args);
  return address(hash, [args, Object.fromEntries(inputs.map(({ key, value }) => [key, value]))]);
}

/** Whether the code of a tool receives inputs. Imported tools and lanes receive their arguments only. */
export const takesInputs = ({ source, lane }: ToolSpec): boolean => source === undefined && lane === undefined;
