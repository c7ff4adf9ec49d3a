/** Compares docs/concepts/requests.md with the wording rules of the source. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PLATFORM_RULES } from '../../src/intake/classify-intent.ts';
import { HIDDEN_TEXT_RULES, INJECTION_RULES } from '../../src/model/text/find-injection.ts';

const guide = readFileSync(new URL('../../docs/concepts/requests.md', import.meta.url), 'utf8');

function listed(reason: string): readonly string[] {
  return Array.from(
    guide.matchAll(new RegExp(`^\\| \`(?<rule>[a-z_]+)\` \\| \`${reason}\``, 'gm')),
    ({ groups }) => groups?.['rule'] ?? '',
  );
}

test('lists every rule with the reason that a trace shows', () => {
  const injection = [...INJECTION_RULES, ...HIDDEN_TEXT_RULES].map(({ name }) => name);
  expect(listed('prompt_injection')).toEqual([...new Set(injection)]);
  expect(listed('platform_policy')).toEqual([...new Set(PLATFORM_RULES.map(({ name }) => name))]);
});
