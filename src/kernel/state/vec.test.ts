/** Proves that the vector behaves like an array, keeps earlier versions, and copies little. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../model/json/freeze.ts';
import { type Vec, vecEmpty, vecGet, vecOf, vecPush, vecSet, vecToArray } from './vec.ts';

const filled = (size: number): Vec<number> => {
  let vec: Vec<number> = vecEmpty;
  for (let index = 0; index < size; index += 1) vec = vecPush(vec, index);
  return vec;
};

const ops = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('push' as const), value: fc.integer() }),
    fc.record({ kind: fc.constant('set' as const), value: fc.integer(), at: fc.nat() }),
  ),
  { maxLength: 120 },
);

describe('vec', () => {
  test('behaves like an array and never changes an earlier version', () => {
    fc.assert(
      fc.property(fc.constantFrom(0, 1, 30, 31, 32, 1_000, 1_020, 1_023, 1_024), ops, (start, list) => {
        let vec = filled(start);
        const array = vecToArray(vec);
        for (const op of list) {
          const before = deepFreeze(vec);
          if (op.kind === 'push') {
            vec = vecPush(vec, op.value);
            array.push(op.value);
          } else if (vec.size > 0) {
            vec = vecSet(vec, op.at % vec.size, op.value);
            array[op.at % vec.size] = op.value;
          }
          expect(before.size).toBeLessThanOrEqual(vec.size);
        }
        expect(vec.size).toBe(array.length);
        expect(vecToArray(vec)).toEqual(array);
        expect(array.map((_, index) => vecGet(vec, index))).toEqual(array);
      }),
      { numRuns: 60 },
    );
  });

  test.each([0, 1, 31, 32, 33, 1_024, 1_025, 32_769])(
    'building %s items at once equals pushing them one by one',
    (size) => {
      const items = Array.from({ length: size }, (_, index) => index);
      const vec = vecOf(deepFreeze(items));
      expect(vec).toEqual(filled(size));
      expect(vecToArray(vecPush(vec, -1))).toEqual([...items, -1]);
    },
  );

  test('stores lists and undefined like any other item', () => {
    const vec = vecPush(vecPush<readonly number[] | undefined>(vecEmpty, [1, 2]), undefined);
    expect(vecToArray(vec)).toEqual([[1, 2], undefined]);
    expect(vec.size).toBe(2);
  });

  test.each([32, 33, 1_024, 1_025, 32_768, 32_769])('returns each of %s items by its index', (size) => {
    const vec = filled(size);
    expect([vecGet(vec, 0), vecGet(vec, 31), vecGet(vec, size - 1), vecGet(vec, size)]).toEqual([
      0,
      31,
      size - 1,
      undefined,
    ]);
    expect(vecGet(vecSet(vec, size - 1, -1), size - 1)).toBe(-1);
    expect(vecGet(vec, size - 1)).toBe(size - 1);
  });

  test('copies one chunk per level for one change, independent of its length', () => {
    const vec = filled(20_000);
    const before = new Set(nodesOf(vec.root));
    const freshAfter = (changed: Vec<number>): number =>
      nodesOf(changed.root).filter((node) => !before.has(node)).length;
    expect(before.size).toBeGreaterThan(600);
    expect(freshAfter(vecPush(vec, 1))).toBeLessThanOrEqual(3);
    expect(freshAfter(vecSet(vec, 777, 1))).toBe(3);
  });

  test.each([-1, 3, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses index %s', (index) => {
    const vec = filled(3);
    expect(vecGet(vec, index)).toBeUndefined();
    expect(() => vecSet(vec, index, 0)).toThrow(expect.objectContaining({ name: 'Fault', code: 'internal' }));
  });

  test('survives a JSON round trip', () => {
    const loaded: Vec<number> = JSON.parse(JSON.stringify(filled(70)));
    expect(vecToArray(vecPush(loaded, 70))).toEqual(vecToArray(filled(71)));
  });
});

function nodesOf(node: Vec<number>['root']): readonly object[] {
  return 'nodes' in node ? [node, ...node.nodes.flatMap(nodesOf)] : [node];
}
