import { Fault } from '../../model/fault.ts';

/** Something with names in it, of which nothing else is known yet. */
export type Given = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether it can be asked all of this. It may be an instance of anybody's class. */
export const can = (part: unknown, methods: readonly string[]): part is object =>
  typeof part === 'object' && part !== null && methods.every((name) => typeof Reflect.get(part, name) === 'function');

export const wrong = (path: string, message: string): Fault =>
  new Fault('input_invalid', `${path}: ${message}`, { path });
