/** An agent declaration must be complete, and a fault names the path of the problem. */
import { describe, expect, test } from 'vitest';
import { agentDocument } from '../../../test/intake/cases.ts';
import { canonicalize } from '../json/canonical.ts';
import { assertJson } from '../json/json.ts';
import { parseAgent } from './agent.ts';

const [refund, ...others] = agentDocument.intents;

test('returns the declaration unchanged and frozen', () => {
  const agent: unknown = parseAgent(agentDocument);
  assertJson(agent);
  assertJson(agentDocument);
  expect(canonicalize(agent)).toBe(canonicalize(agentDocument));
  expect(Object.isFrozen(parseAgent(agentDocument).boundary.tools.allowed)).toBe(true);
});

test('requires every field, and reports a missing boundary first', () => {
  for (const field of Object.keys(agentDocument)) {
    const rest = Object.fromEntries(Object.entries(agentDocument).filter(([name]) => name !== field));
    const code = field === 'boundary' ? 'boundary_missing' : 'input_invalid';
    expect(() => parseAgent(rest)).toThrow(expect.objectContaining({ code, path: `/${field}` }));
  }
  expect(() => parseAgent({})).toThrow(expect.objectContaining({ code: 'boundary_missing' }));
});

describe('rejects', () => {
  const broken: readonly (readonly [string, object, string])[] = [
    ['an agent for nothing', { intents: [] }, '/intents'],
    ['one intent twice', { intents: [refund, refund] }, '/intents'],
    [
      'an intent without a primary criterion',
      { intents: [{ ...refund, criteria: [] }, ...others] },
      '/intents/0/criteria',
    ],
    [
      'an intent with one criterion twice',
      { intents: [{ ...refund, criteria: [...(refund?.criteria ?? []), ...(refund?.criteria ?? [])] }] },
      '/intents/0/criteria',
    ],
    ['a tier that does not exist', { autonomy: { ...agentDocument.autonomy, tier: 8 } }, '/autonomy/tier'],
    [
      'a tool that is open to everybody',
      { access: { ...agentDocument.access, tool_scopes: { t: [] } } },
      '/access/tool_scopes/t',
    ],
    [
      'a mode nobody knows',
      { access: { ...agentDocument.access, role_authority: { r: 'all' } } },
      '/access/role_authority/r',
    ],
    [
      'a negative cap',
      { budget: { profile: 'research', overrides: { steps_max: -1 } } },
      '/budget/overrides/steps_max',
    ],
    ['a field nobody knows', { owner: 'me' }, ''],
  ];

  test.each(broken)('%s', (_, parts, path) => {
    expect(() => parseAgent({ ...agentDocument, ...parts })).toThrow(
      expect.objectContaining({ code: 'input_invalid', path }),
    );
  });

  test.each([null, 'support', 7, []])('%j, because it is not an agent declaration', (value) => {
    expect(() => parseAgent(value)).toThrow(expect.objectContaining({ name: 'Fault' }));
  });
});
