/** Every variant of each credential format passes the `PERHAPS` pre-filter. */
import { expect, test } from 'vitest';
import type { StepCase } from '../../model/critic/judged-case.ts';
import { secretDetector } from './secrets.ts';

const SECRETS = [
  ['ASIA', 'IOSFODNN7EXAMPLE'],
  ['-----BEGIN ', 'PRIVATE KEY-----'],
  ...['gho_', 'ghp_', 'ghs_', 'ghu_', 'ghr_'].map((kind) => [kind, 'a'.repeat(36)]),
  ['github_pat_', 'a'.repeat(60)],
  ['glpat-', 'a'.repeat(20)],
  ['rk_live_', '4eC39HqLyjWDarjtT1zdp7dc'],
  ['sk-proj-', 'a'.repeat(20)],
  ['ftp://app:', 'hunter2@host'],
].map((parts) => parts.join(''));

test.each(SECRETS)('%s', (secret) => {
  const found = secretDetector.detect({ args: { a: secret }, output: null } as unknown as StepCase);
  expect(found?.detail).toMatch(/ at \/args\/a$/);
});
