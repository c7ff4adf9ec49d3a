import { expect, test } from 'vitest';
import { HIDDEN_TEXT_RULES, INJECTION_RULES } from './find-injection.ts';
import { describeRule } from './rule-texts.ts';

test('every rule about the wording of a request is described', () => {
  const names = [...INJECTION_RULES, ...HIDDEN_TEXT_RULES].map(({ name }) => name);
  expect(names.filter((name) => describeRule(name).includes('a rule of the platform'))).toEqual([]);
});

test('an unknown rule is named', () => {
  expect(describeRule('toString')).toBe('the message breaks a rule of the platform (rule toString)');
});
