import { z } from 'zod';
import { exact, exactObject } from '../../json/exact.ts';
import { isJsonList, type Json, type JsonObject } from '../../json/json.ts';
import { jsonAt } from '../../json/json-at.ts';
import { Statement } from '../../json/name.ts';
import { Pointer } from '../../json/pointer.ts';

/**
 * The calls of a tool that only read or prepare: all, none, or those whose argument at `at` is one of `free`. An
 * unlisted value counts as a change, so that an unforeseen value needs approval.
 */
export type Operation = 'free' | 'gated' | { readonly at: string; readonly free: readonly string[] };
export const Operation: z.ZodType<Operation> = exact(
  z.union([z.enum(['free', 'gated']), z.strictObject({ at: Pointer, free: z.array(Statement) })]),
);

export function isFree(operation: Operation, args: JsonObject): boolean {
  if (typeof operation === 'string') return operation === 'free';
  const value = jsonAt(args, operation.at);
  return typeof value === 'string' && operation.free.includes(value);
}

/** An argument and its permitted values. */
export interface Permitted {
  readonly at: string;
  readonly allow: readonly string[];
}
export const Permitted: z.ZodType<Permitted> = exactObject({
  at: Pointer,
  allow: z.array(Statement).min(1, 'must list what is permitted'),
});

/** Returns the non-blank text at a pointer, or null. */
export function textAt(document: Json, pointer: string): string | null {
  const value = jsonAt(document, pointer);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** Returns the text or the list of texts at a pointer, or null for any other value or an empty list. */
export function textsAt(document: Json, pointer: string): readonly string[] | null {
  const value = jsonAt(document, pointer);
  if (typeof value === 'string') return [value];
  if (value === undefined || !isJsonList(value) || value.length === 0) return null;
  const texts = value.filter((item): item is string => typeof item === 'string');
  return texts.length === value.length ? texts : null;
}

/** False for undefined, null, and an empty text, list or object. */
export function hasContent(value: Json | undefined): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'string') return value.trim() !== '';
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
