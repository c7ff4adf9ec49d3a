/** A value that starts with a permitted prefix must not leave it through `..` or hidden characters. */
import { expect, test } from 'vitest';
import { fitsPattern } from './argument-rule.ts';

const fits = (to: string): boolean => fitsPattern({ to: { prefix: 'team_' } }, { to });

test.each(['team_', 'team_a', 'team_a/b.txt', 'team_a/..b', 'team_a...', 'team_a\nand more'])(
  '%j fits the prefix',
  (to) => {
    expect(fits(to)).toBe(true);
  },
);

test.each([
  'ceo',
  'Team_a',
  'team_/../x',
  'team_/..',
  'team_/./x',
  'team_\\..\\x',
  'team_/%2e%2e/x',
  'team_/%252e%252e/x',
  'team_/\uff0e\uff0e/x',
  'team_/.\u200b./x',
  'team_\u0000',
])('%j does not fit the prefix', (to) => {
  expect(fits(to)).toBe(false);
});
