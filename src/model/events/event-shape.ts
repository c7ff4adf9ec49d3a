import { z } from 'zod';
import { ModelCall } from '../budget/model-call.ts';
import { FAULT_CODES, type FaultCode } from '../fault/fault-table.ts';
import type { ExactShape } from '../json/exact.ts';
import { Name } from '../json/name.ts';

/** The schemas of a family of events, field by field, without `type` and `at`, which every event has. */
export type EventShapes<E> = { readonly [T in keyof E]: z.ZodRawShape };

type ExactShapes<E, S extends EventShapes<E>> = { readonly [T in keyof E]: ExactShape<E[T], S[T]> };

/** Rejects at compile time a field that only the type or only the schema of an event in `E` has. */
export const eventShapes =
  <E>() =>
  <S extends EventShapes<E>>(shapes: S & ExactShapes<E, S>): EventShapes<E> =>
    shapes;

export const FaultCodeName: z.ZodType<FaultCode> = z.enum(FAULT_CODES);
export const Count: z.ZodType<number> = z.int().nonnegative();
export const AmountRecord: z.ZodType<Readonly<Record<string, number>>> = z.record(Name, z.number());
export const AddressText: z.ZodType<string> = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be a content address');
export const ModelCalls: z.ZodExactOptional<z.ZodType<readonly ModelCall[]>> = z
  .array(ModelCall)
  .max(100)
  .exactOptional();
