/** Proves that whatever is held against a schema, the answer is the noun or a Fault that names a place. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { EXAMPLES, readDocument } from '../../test/documents/examples.ts';
import { Fault } from './fault.ts';
import { Name, Statement, Text, Timestamp } from './name.ts';
import { parse, parseAt, parseNamed } from './parse.ts';
import { Plan } from './plan.ts';
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

/** Values that are wrong almost everywhere, each in its own way. */
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

/** Every place inside a document, as the keys that lead there. */
function placesIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, child]) => placesIn(child, [...path, key]))];
}

/** The same document with something else in one place. */
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

  test('answers junk in any one place with a Fault, or takes it where anything is allowed', () => {
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

test('a fault names the first wrong place and counts the others', () => {
  const plan = { ...readDocument('refund-plan'), plan_id: '', steps: [{ id: 's1' }] };
  expect(() => parse(Plan, plan, 'plan_untyped')).toThrow(
    expect.objectContaining({
      code: 'plan_untyped',
      path: '/plan_id',
      message: expect.stringMatching(/^\/plan_id: must be .* \(and 1 more\)$/),
    }),
  );
});

test('a place is written as a JSON Pointer, and a stranger’s key cannot break the line', () => {
  const schema = z.strictObject({ 'a/b': z.strictObject({}) });
  expect(answer(schema, { 'a/b': 1 })?.path).toBe('/a~1b');
  expect(answer(schema, { 'a/b': { 'x\ny': 1 } })?.message).not.toContain('\n');
});

describe('what is missing is called missing, with what was expected', () => {
  const schema = z.strictObject({
    name: z.string(),
    kind: z.enum(['a', 'b']),
    deep: z.array(z.strictObject({ id: z.int() })),
    any: z.unknown(),
  });
  const whole = { name: 'x', kind: 'a', deep: [{ id: 1 }], any: null };
  test.each<[string, unknown, string, string]>([
    ['a field that is not there', { ...whole, name: undefined }, '/name', '/name: is missing: expected string'],
    ['one of a few', { ...whole, kind: undefined }, '/kind', '/kind: is missing: expected one of "a"|"b"'],
    ['deep inside', { ...whole, deep: [{}] }, '/deep/0/id', '/deep/0/id: is missing: expected number'],
    ['the whole', undefined, '', 'the value: is missing: expected object'],
    ['undefined where anything goes', { ...whole, any: undefined }, '/any', '/any: is undefined: leave it out'],
    ['a value of the wrong type', { ...whole, name: 1 }, '/name', '/name: Invalid input: expected string'],
  ])('%s', (_, value, path, message) => {
    const fault = answer(schema, value);
    expect(fault).toMatchObject({ code: 'input_invalid', path });
    expect(fault?.message).toContain(message);
  });

  test('absent and undefined are the same', () => {
    const { name: _, ...without } = whole;
    expect(answer(schema, without)?.message).toBe(answer(schema, { ...whole, name: undefined })?.message);
  });

  test('what a developer wrote is called by its name, and everything wrong with it is listed', () => {
    expect(() => parseNamed('agent', schema, { ...whole, kind: 'c', deep: 1, more: true }, 'input_invalid')).toThrow(
      expect.objectContaining({
        path: '/kind',
        message: expect.stringMatching(/^agent\/kind: .*\nagent\/deep: .*\nagent: Unrecognized key: "more"$/),
      }),
    );
    expect(() => parseNamed('agent', schema, undefined, 'input_invalid')).toThrow(
      /^agent: is missing: expected object$/,
    );
    const many = { ...whole, deep: Array.from({ length: 25 }, () => ({})) };
    expect(() => parseNamed('agent', schema, many, 'input_invalid')).toThrow(/\nand 5 more$/);
  });

  test('a part of something greater is called by its place there, and the fault leads to it from the top', () => {
    expect(() => parseAt('/world/parts/0', schema, { ...whole, kind: 'c' }, 'input_invalid')).toThrow(
      expect.objectContaining({
        path: '/world/parts/0/kind',
        message: expect.stringMatching(/^world\/parts\/0\/kind: /),
      }),
    );
  });
});

describe('ids', () => {
  test.each(['s1', 'adp_orders.lookup', 'ctxpack.finops@3.1.0', '_x', 'a/b:c-d', 'x'.repeat(200)])('%s', (name) => {
    expect(answer(Name, name)).toBeNull();
  });
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
  ])('%j is refused', (name) => {
    expect(answer(Name, name)?.code).toBe('input_invalid');
  });
  test('holds for any text with a character that does not print', () => {
    const control = fc.integer({ min: 0, max: 31 }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.string(), control, fc.string(), (before, bad, after) => {
        expect(answer(Name, before + bad + after)).not.toBeNull();
      }),
    );
  });
});

describe('text, times and pointers', () => {
  test('text keeps tabs and line breaks and nothing else that is invisible', () => {
    expect(answer(Text, 'one\n\ttwo\r\n')).toBeNull();
    expect(answer(Text, 'bell\u0007')).not.toBeNull();
    expect(answer(Text, 'x'.repeat(100_001))).not.toBeNull();
  });
  test('a statement says something', () => {
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
  test('a long pointer is judged in one pass', () => {
    expect(answer(Pointer, `${'/a'.repeat(400_000)}~`)).not.toBeNull();
  });
});
