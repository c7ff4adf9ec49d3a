import { expect, test } from 'vitest';
import { readYamlFile } from './yaml-file.ts';

const textOf = (keys: number): string => Array.from({ length: keys }, (_, at) => `key_${at}: ${at}`).join('\n');

/** The CPU time of this thread, the least of three measurements: a measurement can only be too long. */
function readingMs(keys: number): number {
  const text = textOf(keys);
  return Math.min(
    ...Array.from({ length: 3 }, () => {
      const before = process.threadCpuUsage();
      readYamlFile('many.yaml', text);
      return process.threadCpuUsage(before).user / 1_000;
    }),
  );
}

test('the check of keys takes linear time', { timeout: 120_000 }, () => {
  readingMs(1_000);
  // Quadratic time would grow 64-fold.
  expect(readingMs(32_000)).toBeLessThan(24 * readingMs(4_000));
});

test('a repeated key is refused with its place', () => {
  expect(() => readYamlFile('pack.yaml', 'a: 1\nb:\n  c: 1\n  c: 2\n')).toThrow(
    'pack.yaml:4:3: Map keys must be unique',
  );
});

test('a number is refused as the name of a file: reading it would wait for an open pipe', () => {
  expect(() => readYamlFile(6 as unknown as string)).toThrow('the name of a file must be a text');
});
