/** A value that counts how often anything in it is looked at: work that is measured in looks, not in milliseconds. */
export interface CountedReads<T> {
  readonly value: T;
  reads(): number;
}

export function countedReads<T extends object>(original: T): CountedReads<T> {
  let reads = 0;
  const known = new WeakMap<object, object>();
  const counted = (value: object): object => {
    const before = known.get(value);
    if (before !== undefined) return before;
    // A copy, because a proxy may not say anything else than what a frozen object says itself.
    const proxy = new Proxy(Array.isArray(value) ? [...value] : { ...value }, {
      get: (target, key, receiver) => {
        reads += 1;
        const found: unknown = Reflect.get(target, key, receiver);
        return isPlain(found) ? counted(found) : found;
      },
      has: (target, key) => {
        reads += 1;
        return Reflect.has(target, key);
      },
      ownKeys: (target) => {
        const keys = Reflect.ownKeys(target);
        reads += keys.length;
        return keys;
      },
    });
    known.set(value, proxy);
    known.set(proxy, proxy);
    return proxy;
  };
  return { value: counted(original) as T, reads: () => reads };
}

/** Maps, sets and functions are left as they are: they would not work behind a proxy. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}
