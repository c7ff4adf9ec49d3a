import { z } from 'zod';
import type { Json, JsonObject } from './json.ts';

/** Schemas for fields that hold any JSON. `assertJson` bounds depth and size before they run. */
export const JsonValue: z.ZodType<Json> = z.json();

export const JsonRecord: z.ZodType<JsonObject> = exact(z.record(z.string(), JsonValue));

type Primitive = string | number | boolean | bigint | symbol | null | undefined;

/** `T` with every field and list read-only, at every depth. `Json`, which is recursive, stays unchanged. */
type Plain<T> = [Json] extends [T] ? T : T extends Primitive ? T : { readonly [F in keyof T]: Plain<T[F]> };

type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** True if two types are the same, including optional fields. `readonly` does not count. */
type Same<A, B> = Identical<Plain<A>, Plain<B>>;

/** `S` if it parses to exactly `T`; otherwise a type that no schema has, so that the compiler names both types. */
type ExactSchema<T, S extends z.ZodType> = Same<z.output<S>, T> extends true ? S : Differs<T, z.output<S>>;

interface Differs<T, S> {
  readonly 'the type says': T;
  readonly 'the schema says': S;
}

/** One schema per field of `T`, each exact, and no other. The compiler reports the field that differs. */
export type ExactShape<T, S extends z.ZodRawShape> = {
  readonly [F in keyof T]-?: F extends keyof S
    ? Same<z.output<z.ZodObject<Pick<S, F>>>, Pick<T, F>> extends true
      ? S[F]
      : Differs<Plain<Pick<T, F>>, Plain<z.output<z.ZodObject<Pick<S, F>>>>>
    : z.ZodType;
} & { readonly [F in Exclude<keyof S, keyof T>]: never };

/**
 * Ties a schema to a type: the compiler rejects either if it lacks a field of the other. `T` comes from the annotation:
 * `export const Claim: z.ZodType<Claim> = exact(z.union([…]))`.
 */
export function exact<T, S extends z.ZodType>(schema: S & ExactSchema<T, S>): z.ZodType<T> {
  return schema as unknown as z.ZodType<T>;
}

/** `exact` for a strict object: `export const Claim: z.ZodType<Claim> = exactObject({ statement: Text, … })`. */
export function exactObject<T, S extends z.ZodRawShape>(shape: S & ExactShape<NoInfer<T>, S>): z.ZodType<T> {
  return z.strictObject(shape) as unknown as z.ZodType<T>;
}
