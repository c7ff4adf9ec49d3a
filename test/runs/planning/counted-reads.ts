/** A value that counts reads of its properties, so that a test can measure work without a clock. */
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
    // A copy, because the proxy of a frozen object must return the original property values.
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

/** True for plain objects and arrays. Maps, sets and functions do not work behind a proxy. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}
