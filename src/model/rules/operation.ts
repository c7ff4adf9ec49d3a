import { z } from 'zod';
import { isJsonList, type Json, type JsonObject } from '../json.ts';
import { jsonAt } from '../json-at.ts';
import { Statement } from '../name.ts';
import { Pointer } from '../pointer.ts';

/**
 * Which calls of a tool only look or prepare: all, none, or those whose argument at `at` is one of `free`. Whatever is
 * not listed acts, so a word that nobody foresaw is asked about.
 */
export type Operation = 'free' | 'gated' | { readonly at: string; readonly free: readonly string[] };
export const Operation: z.ZodType<Operation> = z.union([
  z.enum(['free', 'gated']),
  z.strictObject({ at: Pointer, free: z.array(Statement) }),
]);

export function isFree(operation: Operation, args: JsonObject): boolean {
  if (typeof operation === 'string') return operation === 'free';
  const said = jsonAt(args, operation.at);
  return typeof said === 'string' && operation.free.includes(said);
}

/** An argument and the only values it may have. */
export interface Permitted {
  readonly at: string;
  readonly allow: readonly string[];
}
export const Permitted: z.ZodType<Permitted> = z.strictObject({
  at: Pointer,
  allow: z.array(Statement).min(1, 'must list what is permitted'),
});

/** The text that stands there, if it says anything. */
export function textAt(document: Json, pointer: string): string | null {
  const value = jsonAt(document, pointer);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** One text or a list of them; null where anything else stands there, or nothing. */
export function textsAt(document: Json, pointer: string): readonly string[] | null {
  const value = jsonAt(document, pointer);
  if (typeof value === 'string') return [value];
  if (value === undefined || !isJsonList(value) || value.length === 0) return null;
  const texts = value.filter((item): item is string => typeof item === 'string');
  return texts.length === value.length ? texts : null;
}

/** Whether something is there that can be shown: neither nothing, nor an empty text, list or object. */
export function saysSomething(value: Json | undefined): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'string') return value.trim() !== '';
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
