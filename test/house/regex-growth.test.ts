import { expect, test } from 'vitest';
import { growsTooFast, regexLiterals } from './regex-growth.ts';

test('every regular expression of src takes linear time', { timeout: 240_000 }, () => {
  const literals = regexLiterals();
  expect(literals.length).toBeGreaterThan(300);
  const slow = literals.flatMap((regex) => {
    const text = growsTooFast(regex);
    return text === null ? [] : [`${regex.place} /${regex.source}/: ${text}`];
  });
  expect(slow).toEqual([]);
});

test.each(['\\.+$', '(a+)+$', '\\s*;', '[a-z]+@', '^(\\w+\\s?)*$'])('%s is found to take more', (source) => {
  expect(growsTooFast({ place: '', source, flags: 'u' })).not.toBeNull();
});

test.each(['^a+$', '(?<!\\.)\\.+$', '[^x]*', 'a{0,100}b'])('%s is found to take linear time', (source) => {
  expect(growsTooFast({ place: '', source, flags: 'u' })).toBeNull();
});
