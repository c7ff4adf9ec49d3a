import { z } from 'zod';
import { exactObject, JsonValue } from '../json/exact.ts';
import type { Json } from '../json/json.ts';
import { Name } from '../json/name.ts';
import { Pointer } from '../json/pointer.ts';

/** The reference of a value that the requester passed as an input of the run. */
export const REQUEST_REF = 'request';
/** The reference of a value that the output schema fixes, such as a `const`. */
export const SCHEMA_REF = 'schema';

/** A part of an output, and the committed field that it comes from. It is also the source of every leaf below it. */
export interface OutputField {
  /** JSON Pointer into the output. */
  readonly at: string;
  /** An evidence id, `request` for an input of the run, or `schema` for a value that the schema fixes. */
  readonly ref: string;
  /** JSON Pointer into the value of the reference. */
  readonly pointer: string;
  /** False if an untrusted source supplied the value. */
  readonly trusted: boolean;
}
export const OutputField: z.ZodType<OutputField> = exactObject({
  at: Pointer,
  ref: Name,
  pointer: Pointer,
  trusted: z.boolean(),
});

/** The output of a run, resolved from committed facts. */
export interface BoundOutput {
  readonly value: Json;
  readonly fields: readonly OutputField[];
}
export const BoundOutput: z.ZodType<BoundOutput> = exactObject({ value: JsonValue, fields: z.array(OutputField) });
