import { Fault } from '../../model/fault/fault.ts';

/** An object whose properties have not been checked yet. */
export type UncheckedObject = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is UncheckedObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns whether a value has all of these methods. The value may be an instance of a class. */
export const hasMethods = (part: unknown, methods: readonly string[]): part is object =>
  typeof part === 'object' && part !== null && methods.every((name) => typeof Reflect.get(part, name) === 'function');

export const wrong = (path: string, message: string): Fault =>
  new Fault('input_invalid', `${path}: ${message}`, { path });
