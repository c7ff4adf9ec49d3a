/** Compares the guides on policies and conditions with the shipped policies, the profiles and the parts of the context. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { shippedPolicies } from '../../src/adapters/cedar/index.ts';
import { RISK_PROFILE_NAMES, RISK_PROFILES } from '../../src/model/policy/risk.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const guide = read('docs/how-to/policies.md');

const all = (text: string, pattern: RegExp): readonly string[] =>
  Array.from(text.matchAll(pattern), ({ groups }) => groups?.['name'] ?? '');

test('lists every shipped policy', () => {
  const shipped = shippedPolicies().flatMap(({ text }) => all(text, /@id\("(?<name>[^"]+)"\)/g));
  const rows = guide.split('\n').filter((line) => /^\| `[a-z_]+\.[a-z_.]+`/.test(line));
  const listed = rows.flatMap((row) => all(row.split('|')[1] ?? '', /`(?<name>[^`]+)`/g));
  expect(listed.toSorted()).toEqual(shipped.toSorted());
  expect(shipped).toHaveLength(new Set(shipped).size);
});

test("lists every part of a call's context", () => {
  const schema = read('policies/schema.cedarschema');
  const context = schema.slice(schema.indexOf('context: {'), schema.indexOf('action decide_gate'));
  const fields = all(context, /^ {6}(?<name>[a-z_]+)\??:/gm);
  const table = guide.slice(guide.indexOf('| In `context`'), guide.indexOf('**Numbers.**'));
  const listed = table
    .split('\n')
    .flatMap((row) => (row.startsWith('| `') ? all(row.split('|')[1] ?? '', /`(?<name>[^`]+)`/g) : []));
  expect(listed).toEqual(fields);
});

test('lists every condition of the profiles', () => {
  const rows = read('docs/how-to/conditions.md')
    .split('\n')
    .filter((line) => RISK_PROFILE_NAMES.some((profile) => line.startsWith(`| \`${profile}\` |`)))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const listed = rows.map(([, profile, condition, governs = '', field]) => [
    profile,
    condition,
    governs === 'every change' ? RISK_PROFILES.incident_sre.needs_approval : all(governs, /`(?<name>[^`]+)`/g),
    field,
  ]);
  const quoted = (name: string | undefined): string => (name === undefined ? '' : `\`${name}\``);
  const shipped = RISK_PROFILE_NAMES.flatMap((profile) =>
    RISK_PROFILES[profile].fails_closed.map(({ condition, governs, field }) => [
      quoted(profile),
      quoted(condition),
      governs,
      quoted(field),
    ]),
  );
  expect(listed).toEqual(shipped);
});
