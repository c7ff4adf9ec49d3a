/** For any value, `parse` returns a valid document or throws a Fault with a path. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { EXAMPLES, readDocument } from '../../../test/documents/examples.ts';
import { Fault } from '../fault/fault.ts';
import { Plan } from '../plan/plan.ts';
import { Name, Statement, Text, Timestamp } from './name.ts';
import { parse, parseAt, parseNamed } from './parse.ts';
import { Pointer } from './pointer.ts';

function answer(schema: z.ZodType, value: unknown): Fault | null {
  try {
    parse(schema, value, 'input_invalid');
    return null;
  } catch (error) {
    expect(Fault.is(error)).toBe(true);
    return error as Fault;
  }
}

/** Values that are wrong for almost every field. */
const junk = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.anything(),
    fc.constantFrom(
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 60,
      -1,
      '',
      '\u0000',
      '\ud800',
      'x'.repeat(200_000),
      [],
      {},
      [[]],
      null,
      JSON.parse('{"__proto__":{"polluted":true}}'),
      JSON.parse('{"constructor":{"prototype":{"polluted":true}}}'),
    ),
  );

/** Every path inside a document, as a list of keys. */
function placesIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, child]) => placesIn(child, [...path, key]))];
}

/** Returns a copy of a document with another value at one path. */
function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined || typeof value !== 'object' || value === null) return by;
  const entries = Object.entries(value).map(([name, child]) => [
    name,
    name === key ? replaced(child, rest, by) : child,
  ]);
  return Array.isArray(value) ? entries.map(([, child]) => child) : Object.fromEntries(entries);
}

describe.each(EXAMPLES)('$file', ({ file, schema }) => {
  test('answers junk with a Fault', () => {
    fc.assert(
      fc.property(junk(), (value) => {
        expect(answer(schema, value)).not.toBeNull();
      }),
    );
  });

  test('answers junk at any one path with a Fault, or accepts it if any value is allowed there', () => {
    const document = readDocument(file);
    const place = fc.constantFrom(...placesIn(document).slice(1));
    fc.assert(
      fc.property(place, junk(), (path, value) => {
        const fault = answer(schema, replaced(document, path, value));
        if (fault !== null) expect(fault.path).toMatch(/^(\/|$)/);
      }),
    );
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

test('names the first wrong path and counts the others', () => {
  const plan = { ...readDocument('refund-plan'), plan_id: '', steps: [{ id: 's1' }] };
  expect(() => parse(Plan, plan, 'plan_untyped')).toThrow(
    expect.objectContaining({
      code: 'plan_untyped',
      path: '/plan_id',
      message: expect.stringMatching(/^\/plan_id: must be .* \(and 1 more\)$/),
    }),
  );
});

test('writes the path as a JSON Pointer, and keeps a key with a line break on one line', () => {
  const schema = z.strictObject({ 'a/b': z.strictObject({}) });
  expect(answer(schema, { 'a/b': 1 })?.path).toBe('/a~1b');
  expect(answer(schema, { 'a/b': { 'x\ny': 1 } })?.message).not.toContain('\n');
});

describe('reports a missing value as missing, with the expected type', () => {
  const schema = z.strictObject({
    name: z.string(),
    kind: z.enum(['a', 'b']),
    deep: z.array(z.strictObject({ id: z.int() })),
    any: z.unknown(),
  });
  const valid = { name: 'x', kind: 'a', deep: [{ id: 1 }], any: null };
  test.each<[string, unknown, string, string]>([
    ['a field that is not there', { ...valid, name: undefined }, '/name', '/name: is missing: expected string'],
    ['one of a few', { ...valid, kind: undefined }, '/kind', '/kind: is missing: expected one of "a"|"b"'],
    ['deep inside', { ...valid, deep: [{}] }, '/deep/0/id', '/deep/0/id: is missing: expected number'],
    ['the whole', undefined, '', 'the value: is missing: expected object'],
    ['undefined where anything goes', { ...valid, any: undefined }, '/any', '/any: is undefined: leave it out'],
    ['a value of the wrong type', { ...valid, name: 1 }, '/name', '/name: Invalid input: expected string'],
  ])('%s', (_, value, path, message) => {
    const fault = answer(schema, value);
    expect(fault).toMatchObject({ code: 'input_invalid', path });
    expect(fault?.message).toContain(message);
  });

  test('treats absent and undefined alike', () => {
    const { name: _, ...without } = valid;
    expect(answer(schema, without)?.message).toBe(answer(schema, { ...valid, name: undefined })?.message);
  });

  test('parseNamed names the value and lists every problem', () => {
    expect(() => parseNamed('agent', schema, { ...valid, kind: 'c', deep: 1, more: true }, 'input_invalid')).toThrow(
      expect.objectContaining({
        path: '/kind',
        message: expect.stringMatching(
          /^agent\/kind: .*\nagent\/deep: .*\nagent: there is no field more; there are \w+, .*$/,
        ),
      }),
    );
    expect(() => parseNamed('agent', schema, undefined, 'input_invalid')).toThrow(
      /^agent: is missing: expected object$/,
    );
    const many = { ...valid, deep: Array.from({ length: 25 }, () => ({})) };
    expect(() => parseNamed('agent', schema, many, 'input_invalid')).toThrow(/\nand 5 more$/);
  });

  test('parseAt reports the path from the root of the enclosing document', () => {
    expect(() => parseAt('/world/parts/0', schema, { ...valid, kind: 'c' }, 'input_invalid')).toThrow(
      expect.objectContaining({
        path: '/world/parts/0/kind',
        message: expect.stringMatching(/^world\/parts\/0\/kind: /),
      }),
    );
  });
});

describe('ids', () => {
  test.each(['s1', 'adp_orders.lookup', 'ctxpack.finops@3.1.0', '_x', 'a/b:c-d', 'x'.repeat(200)])(
    'accepts %s',
    (name) => {
      expect(answer(Name, name)).toBeNull();
    },
  );
  test.each([
    '',
    ' s1',
    's1\n',
    's 1',
    's\u00001',
    's\u001b[31m',
    's\u202e1',
    '../etc',
    '-rf',
    'ключ',
    'x'.repeat(201),
    '__proto__',
    'constructor',
  ])('refuses %j', (name) => {
    expect(answer(Name, name)?.code).toBe('input_invalid');
  });
  test('refuses any name with an unprintable character', () => {
    const control = fc.integer({ min: 0, max: 31 }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.string(), control, fc.string(), (before, bad, after) => {
        expect(answer(Name, before + bad + after)).not.toBeNull();
      }),
    );
  });
});

describe('text, times and pointers', () => {
  test('text may hold tabs and line breaks, and no other invisible character', () => {
    expect(answer(Text, 'one\n\ttwo\r\n')).toBeNull();
    expect(answer(Text, 'bell\u0007')).not.toBeNull();
    expect(answer(Text, 'x'.repeat(100_001))).not.toBeNull();
  });
  test('a statement is not blank', () => {
    expect(answer(Statement, ' \n ')).not.toBeNull();
    expect(answer(Statement, 'yes')).toBeNull();
  });
  test('a timestamp is in UTC', () => {
    expect(answer(Timestamp, '2026-05-04T10:14:00Z')).toBeNull();
    for (const wrong of ['2026-05-04T10:14:00+02:00', '2026-05-04', '2026-13-04T10:14:00Z', 'now']) {
      expect(answer(Timestamp, wrong)).not.toBeNull();
    }
  });
  test('a pointer is a JSON Pointer', () => {
    for (const right of ['', '/', '/a/0', '/a~1b~0c', '/ключ']) expect(answer(Pointer, right)).toBeNull();
    for (const wrong of ['a', '/a~', '/a~2', '#/a']) expect(answer(Pointer, wrong)).not.toBeNull();
  });
  test('checks a long pointer in linear time', () => {
    expect(answer(Pointer, `${'/a'.repeat(400_000)}~`)).not.toBeNull();
  });
});
