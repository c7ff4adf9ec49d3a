/** Proves that credentials are detected at any depth and never quoted, and that ordinary text is ignored. */
import { expect, test } from 'vitest';
import type { StepCase } from '../../model/critic/judged-case.ts';
import type { Json } from '../../model/json/json.ts';
import { secretDetector } from './secrets.ts';

const detect = (args: Json, output: Json = null): ReturnType<typeof secretDetector.detect> =>
  secretDetector.detect({ args, output } as unknown as StepCase);

/** Joined at run time, so that secret scanners do not report this file. */
const SECRETS = [
  ['-----BEGIN RSA ', 'PRIVATE KEY-----\nMIIE'],
  ['AKIA', 'IOSFODNN7EXAMPLE'],
  ['ghp_', 'a'.repeat(36)],
  ['npm_', 'B7'.repeat(18)],
  ['xoxb-', '123456789012-abcdefghijkl'],
  ['sk_live_', '4eC39HqLyjWDarjtT1zdp7dc'],
  ['sk-ant-', 'api03-abcdefghijklmnopqrst'],
  ['postgres://app:', 'hunter2@db.internal/orders'],
].map((parts) => parts.join(''));

test.each(SECRETS)('detects %s', (secret) => {
  const sent = detect({ body: { lines: ['x', `key = ${secret}`] } });
  expect(sent).toMatchObject({ severity: 'high', detail: expect.stringMatching(/ at \/args\/body\/lines\/1$/) });
  expect(sent?.detail).not.toContain(secret);
  expect(detect({}, { log: secret })?.detail).toMatch(/ at \/output\/log$/);
});

test.each<[Json]>([
  ['https://example.com:8080/path@2'],
  ['mail ann@example.com about the AKIA project'],
  ['-----BEGIN PUBLIC KEY-----'],
  ['sk-learn and npm_config_registry'],
  [{ n: 1, b: true, z: null }],
])('does not report %j', (value) => {
  expect(detect({ value }, value)).toBeNull();
});
