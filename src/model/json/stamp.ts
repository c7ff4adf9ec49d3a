/** Returns its argument from the constructor, so that a subclass adds its private fields to that object. */
class ReturnsArgument {
  constructor(target: object) {
    // biome-ignore lint/correctness/noConstructorReturn: this is what it is for
    return target;
  }
}

/**
 * An invisible mark on an object that only this class can set and read. It is cheaper than a WeakSet of all marked
 * objects, which garbage collection would have to walk.
 */
export class Stamp extends ReturnsArgument {
  readonly #by: unknown;

  private constructor(target: object, by: unknown) {
    super(target);
    this.#by = by;
  }

  /** Marks an object, which must not be frozen yet. */
  static put<T extends object>(target: T, by: unknown): T {
    return new Stamp(target, by) as unknown as T;
  }

  static is(value: object, by: unknown): boolean {
    return #by in value && value.#by === by;
  }
}
