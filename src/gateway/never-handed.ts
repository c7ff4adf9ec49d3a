import { reasonOf } from '../model/printable.ts';

/** What went wrong on the way to a tool, before it was handed the call. Made by the gateway alone: no tool can say it of itself. */
export class NeverHanded extends Error {
  readonly #byTheGateway = true;

  constructor(cause: unknown) {
    super(`not sent: ${reasonOf(cause)}`, { cause });
  }

  /** What a tool throws may be anything, even what throws in turn when its prototype is asked for: a private field asks nothing of it. */
  static is(error: unknown): error is NeverHanded {
    return typeof error === 'object' && error !== null && #byTheGateway in error && error.#byTheGateway;
  }
}
