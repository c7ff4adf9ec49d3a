/** Gives back what it is given, so that a class that extends it adds its private fields to that and makes nothing new. */
class Given {
  constructor(given: object) {
    // biome-ignore lint/correctness/noConstructorReturn: this is what it is for
    return given;
  }
}

/**
 * A mark that nobody sees and nobody else can set: an object stays what it is to everybody, and whoever holds the class
 * can tell that it went through here. Cheaper than a table of all such objects, which garbage collection has to walk.
 */
export class Stamp extends Given {
  readonly #by: unknown;

  private constructor(given: object, by: unknown) {
    super(given);
    this.#by = by;
  }

  /** Before it is frozen. */
  static put<T extends object>(given: T, by: unknown): T {
    return new Stamp(given, by) as unknown as T;
  }

  static is(value: object, by: unknown): boolean {
    return #by in value && value.#by === by;
  }
}
