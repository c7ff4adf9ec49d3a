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

/** The faults behind a fault that lists several. */
const LISTED = new WeakMap<Fault, readonly Fault[]>();

/** Runs checks and collects the faults they throw, so that the user sees all of them at once. */
export function collectFaults(...checks: readonly (() => unknown)[]): readonly Fault[] {
  return checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (Fault.is(error)) return LISTED.get(error) ?? [error];
      throw error;
    }
  });
}

/**
 * Throws one fault for a list of faults, with the code and the path of the first. A single fault is thrown unchanged.
 */
export function throwFaults(faults: readonly Fault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const messages = [...new Set(faults.flatMap(({ message }) => message.split('\n')))];
  if (messages.length === 1) throw first;
  const list = messages.map((message) => `- ${message}`).join('\n');
  const message = `${messages.length} problems in the options of this agent:\n${list}`;
  const listed = new Fault(first.code, message, {
    ...(first.path === undefined ? {} : { path: first.path }),
    cause: first,
  });
  LISTED.set(listed, faults);
  throw listed;
}
