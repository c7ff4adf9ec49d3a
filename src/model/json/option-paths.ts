/**
 * The paths of the options that an author wrote, such as `effects` and `effects.idempotency`. All other options are
 * defaults, and `explain` shows them as such. An undefined option counts as left out.
 */
export function optionPaths(options: object): readonly string[] {
  return statedKeys(options).flatMap((option) => {
    const value: unknown = Reflect.get(options, option);
    return [option, ...(isPlain(value) ? statedKeys(value).map((inner) => `${option}.${inner}`) : [])];
  });
}

const statedKeys = (options: object): readonly string[] =>
  Object.keys(options).filter((key) => Reflect.get(options, key) !== undefined);

/** Options are plain objects. Models, tools and stores are values of an option. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
