/** Proves that docs/guides/intake.md names every wording that is looked for, and no other. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PLATFORM_RULES } from '../../src/intake/platform-policy.ts';
import { HIDDEN_TEXT_RULES, INJECTION_RULES } from '../../src/model/injection/injection-rules.ts';

const guide = readFileSync(new URL('../../docs/guides/intake.md', import.meta.url), 'utf8');

function listed(reason: string): readonly string[] {
  return Array.from(
    guide.matchAll(new RegExp(`^\\| \`(?<rule>[a-z_]+)\` \\| \`${reason}\``, 'gm')),
    ({ groups }) => groups?.['rule'] ?? '',
  );
}

test('every rule is listed with the reason that a trace gives', () => {
  const injection = [...INJECTION_RULES, ...HIDDEN_TEXT_RULES].map(({ name }) => name);
  expect(listed('prompt_injection')).toEqual([...new Set(injection)]);
  expect(listed('platform_policy')).toEqual([...new Set(PLATFORM_RULES.map(({ name }) => name))]);
});
