/** Hostile values. Some are JSON, most are not, and a few change while they are read. */
import type { Dice } from './dice.ts';

const STRINGS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'line\nbreak\r\ttab\u0007\u001b[31m',
  '\u202eevil\u2066\u2069',
  '\u200b\ufeff',
  'e\u0301 and \u00e9',
  '💣👩‍👩‍👧‍👦',
  '\ud800',
  'half \udfff of a pair',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../../etc/passwd',
  "'; DROP TABLE notes; --",
  '{"$from":"s1","path":""}',
  '/a~2b',
  '%00%0a',
  'NaN',
  '-0',
  '9'.repeat(400),
  'A'.repeat(5_000),
  '<script>alert(1)</script>',
];

const NUMBERS: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.1,
  1e21,
  5e-324,
  Number.MAX_VALUE,
  Number.MAX_SAFE_INTEGER + 1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
];

const KEYS: readonly string[] = [
  'id',
  'text',
  'amount',
  'to',
  'list',
  '$from',
  'path',
  '$ref',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'toJSON',
  'then',
  'length',
  '',
  '~',
  'a/b',
  '\ud800',
  '\u0000',
  'k'.repeat(2_000),
];

const HUGE_TEXT = 'x'.repeat(2_000_000);
const WIDE: readonly number[] = Array.from({ length: 20_000 }, (_, at) => at);

/** Deep enough to overflow the stack of a recursive walk. */
function nested(depth: number): unknown {
  let value: unknown = 'core';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { in: value };
  return value;
}
const DEEP = nested(50_000);
const AT_THE_LIMIT = nested(63);
const OVER_THE_LIMIT = nested(66);

function cyclic(): unknown {
  const loop: Record<string, unknown> = { id: 1 };
  loop['self'] = [loop];
  return loop;
}

const throwing = (): never => {
  throw new TypeError('do not look at me');
};

/** An object whose values change on every read. */
function changing(dice: Dice): unknown {
  let reads = 0;
  const after = dice.roll(4);
  const later = dice.pick<unknown>([Number.NaN, () => 'code', undefined, cyclic(), 10n, '\ud800', Symbol('later')]);
  return Object.defineProperty({ id: 1 }, 'text', {
    enumerable: true,
    get: () => {
      reads += 1;
      return reads > after ? later : 'plain';
    },
  });
}

/** An object or array whose keys, values and length change on every read. */
function shifting(dice: Dice): unknown {
  let looks = 0;
  const turn = (): boolean => {
    looks += 1;
    return looks > 3;
  };
  return new Proxy(dice.chance(0.5) ? { id: 1, text: 'a' } : [1, 2], {
    get: (target, key) => (turn() ? dice.pick<unknown>([Number.NaN, target, 'b', 7]) : Reflect.get(target, key)),
    ownKeys: (target) => (turn() ? [...Reflect.ownKeys(target), 'more'] : Reflect.ownKeys(target)),
    getOwnPropertyDescriptor: (target, key) =>
      Reflect.getOwnPropertyDescriptor(target, key) ?? { value: 1, enumerable: true, configurable: true },
  });
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

class Stranger {
  readonly id: number = 1;
}

/** Factories of values that are not JSON or exceed the JSON limits. */
const MONSTERS: readonly ((dice: Dice) => unknown)[] = [
  () => undefined,
  () => 10n,
  () => Symbol('s'),
  () => throwing,
  () => new Date(0),
  () => new Map([['id', 1]]),
  () => new Uint8Array(4),
  () => new Stranger(),
  () => Object.create(null),
  () => Object.create({ id: 1 }),
  () => JSON.parse('{"__proto__":{"admin":true},"id":1}'),
  () => ({ constructor: { prototype: { admin: true } } }),
  () => Object.defineProperty({}, 'id', { enumerable: true, get: throwing }),
  () => Object.fromEntries([['then', throwing]]),
  () => ({ toJSON: throwing }),
  () => Object.assign([], { 0: 1, 2: 3 }),
  () => Object.assign([1], { id: 1 }),
  () => HUGE_TEXT,
  () => WIDE,
  () => DEEP,
  () => AT_THE_LIMIT,
  () => OVER_THE_LIMIT,
  () => cyclic(),
  () => revoked(),
  () => new Proxy({}, { ownKeys: throwing }),
  () => new Proxy({}, { getPrototypeOf: throwing }),
  () => new Proxy({ id: 1 }, { get: throwing }),
  () => Promise.resolve(1),
  changing,
  shifting,
];

/** Large values are picked rarely: they take a thousand times as long as the others. */
const LARGE: ReadonlySet<unknown> = new Set([HUGE_TEXT, WIDE, DEEP]);

export function monster(dice: Dice): unknown {
  const made = dice.pick(MONSTERS)(dice);
  return LARGE.has(made) && !dice.chance(0.02) ? cyclic() : made;
}

/** Any value, a few levels deep. */
export function anything(dice: Dice, depth = 3): unknown {
  const kind = dice.roll(depth <= 0 ? 6 : 10);
  if (kind < 2) return dice.pick(STRINGS);
  if (kind < 4) return dice.chance(0.5) ? dice.pick(NUMBERS) : dice.roll(1_000);
  if (kind === 4) return dice.pick([true, false, null]);
  if (kind === 5) return monster(dice);
  const size = dice.roll(4);
  if (kind < 8) return Array.from({ length: size }, () => anything(dice, depth - 1));
  const entries = Array.from({ length: size }, () => [dice.pick(KEYS), anything(dice, depth - 1)]);
  return Object.fromEntries(entries);
}

/** A JSON value of any kind. */
export function plain(dice: Dice, depth = 2): unknown {
  const kind = dice.roll(depth <= 0 ? 4 : 6);
  if (kind < 2) return dice.pick(STRINGS).toWellFormed();
  if (kind === 2) return dice.roll(1_000_000) / dice.pick([1, 2, 1_000]);
  if (kind === 3) return dice.pick([true, false, null]);
  if (kind === 4) return Array.from({ length: dice.roll(3) }, () => plain(dice, depth - 1));
  return Object.fromEntries(
    Array.from({ length: dice.roll(3) }, () => [dice.pick(['id', 'text', 'a/b', '~', 'ключ']), plain(dice, depth - 1)]),
  );
}
