/** Tests that an invalid policy is found when it is loaded and reported with file, policy and line. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cedarAuthorizer } from './cedar-authorizer.ts';
import { policyFiles } from './read-policies.ts';

const GOOD = '// Größe\n@id("good")\npermit (principal, action, resource);\n';

function faultOf(text: string): string {
  try {
    cedarAuthorizer([{ file: 'rules.cedar', text: `${GOOD}\n${text}` }]);
  } catch (error) {
    expect(error).toMatchObject({ name: 'Fault', code: 'policy_invalid' });
    return (error as Error).message;
  }
  return 'no fault';
}

test.each([
  [
    'an unknown effect',
    '@id("bad")\nforbit (principal, action, resource);',
    /^rules\.cedar:6 bad: .*invalid policy effect: forbit/,
  ],
  [
    'a name that is not in the schema',
    '@id("bad")\nforbid (principal, action, resource)\nwhen { principal.usr == "x" };',
    /^rules\.cedar:7 bad: .*usr/,
  ],
  [
    'types that cannot be compared',
    '@id("bad")\nforbid (principal, action == Ambit::Action::"call_tool", resource)\nwhen { resource.mode == 3 };',
    /^rules\.cedar:7 bad: .*not compatible/,
  ],
  [
    'an argument read without hasTag',
    '@id("bad")\nforbid (principal, action == Ambit::Action::"call_tool", resource)\nwhen {\n  context.arguments.text.getTag("/a") == "b" };',
    /^rules\.cedar:8 bad: /,
  ],
  [
    'a rule that can never apply',
    '@id("bad")\nforbid (principal, action, resource)\nwhen { false };',
    /^rules\.cedar:5 bad: .*impossible/,
  ],
  ['a policy without an id', 'permit (principal, action, resource);', /^rules\.cedar:5: needs an @id/],
  [
    'a duplicate id',
    '@id("good")\nforbid (principal, action, resource);',
    /^rules\.cedar:2 good: there is another policy of this id/,
  ],
  [
    'a forbid with a gate',
    '@id("bad")\n@gate("G")\nforbid (principal, action, resource);',
    /^rules\.cedar:5 bad: a forbid opens no gate/,
  ],
  [
    'an invalid gate name',
    '@id("bad")\n@gate("?!")\npermit (principal, action, resource);',
    /^rules\.cedar:5 bad: "\?!" is no name/,
  ],
  ['a template', '@id("bad")\npermit (principal == ?principal, action, resource);', /^rules\.cedar:\d+: .*template/],
])('%s', (_what, text, message) => {
  expect(faultOf(text)).toMatch(message);
});

test('reports all problems at once', () => {
  const text = '@id("one")\n@gate("G")\nforbid (principal, action, resource);\npermit (principal, action, resource);';
  expect(faultOf(text).split('\n')).toEqual([
    expect.stringContaining('one: '),
    expect.stringContaining('needs an @id'),
  ]);
});

test('reports the right line after many policies', () => {
  const many = Array.from({ length: 12 }, (_, n) => `@id("p${n}")\npermit (principal, action, resource);`).join('\n');
  expect(faultOf(`${many}\npermit (principal, action, resource);`)).toMatch(/^rules\.cedar:29: needs an @id/);
});

test('reads the files of a folder in order and rejects a folder without policies', () => {
  const folder = mkdtempSync(join(tmpdir(), 'policies-'));
  try {
    expect(() => policyFiles(folder)).toThrow(/holds no \.cedar file/);
    expect(() => policyFiles(join(folder, 'none'))).toThrow(/cannot be read/);
    writeFileSync(join(folder, 'b.cedar'), GOOD);
    writeFileSync(join(folder, 'a.cedar'), '');
    expect(policyFiles(folder).map(({ file }) => file)).toEqual(['a.cedar', 'b.cedar']);
    expect(cedarAuthorizer(policyFiles(folder)).version).toMatch(/^cedar:/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
