import { reasonOf } from '../json/printable.ts';
import { Fault } from './fault.ts';

type Callable = (...args: never[]) => unknown;

/** A fault for an error that JavaScript itself raised while a public function read its arguments. */
export function inputFault(name: string, error: unknown): unknown {
  const isRaw = !(error instanceof Error) || error instanceof TypeError || error instanceof RangeError;
  if (Fault.is(error) || !(isRaw || error instanceof SyntaxError)) return error;
  return new Fault('input_invalid', `${name} cannot read its arguments: ${reasonOf(error)}`, { cause: error });
}

/**
 * Wraps a public function, so that it throws a fault where its arguments are something else than its types say. Errors
 * of the host's own code stay as they are.
 */
export function guardInput<F extends Callable>(name: string, call: F): F {
  const guarded = (...args: never[]): unknown => {
    try {
      const result = call(...args);
      if (!(result instanceof Promise)) return result;
      return result.catch((error: unknown) => {
        throw inputFault(name, error);
      });
    } catch (error) {
      throw inputFault(name, error);
    }
  };
  return guarded as F;
}

/** Wraps the functions of an object, and of the objects in it. */
export function guardMethods<T extends object>(name: string, methods: T): T {
  const guarded = Object.entries(methods).map(([key, member]: [string, unknown]) => {
    const path = name === '' ? key : `${name}.${key}`;
    if (typeof member === 'function') return [key, guardInput(path, member.bind(methods) as Callable)];
    const isGroup = typeof member === 'object' && member !== null && !Array.isArray(member);
    return [key, isGroup ? guardMethods(path, member) : member];
  });
  return Object.freeze(Object.fromEntries(guarded)) as T;
}
