/** Proves what a declaration of an agent must hold, and that a broken one is refused with the place that is wrong. */
import { describe, expect, test } from 'vitest';
import { agentDocument } from '../../test/intake/cases.ts';
import { parseAgent } from './agent.ts';
import { canonicalize } from './canonical.ts';
import { assertJson } from './json.ts';

const [refund, ...others] = agentDocument.intents;

test('a declaration comes back as it was written, frozen', () => {
  const agent: unknown = parseAgent(agentDocument);
  assertJson(agent);
  assertJson(agentDocument);
  expect(canonicalize(agent)).toBe(canonicalize(agentDocument));
  expect(Object.isFrozen(parseAgent(agentDocument).boundary.tools.allowed)).toBe(true);
});

test('every part is needed, and the boundary before all others', () => {
  for (const field of Object.keys(agentDocument)) {
    const rest = Object.fromEntries(Object.entries(agentDocument).filter(([name]) => name !== field));
    const code = field === 'boundary' ? 'boundary_missing' : 'input_invalid';
    expect(() => parseAgent(rest)).toThrow(expect.objectContaining({ code, path: `/${field}` }));
  }
  expect(() => parseAgent({})).toThrow(expect.objectContaining({ code: 'boundary_missing' }));
});

describe('is refused', () => {
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

  test.each([null, 'support', 7, []])('%j, which is no agent at all', (value) => {
    expect(() => parseAgent(value)).toThrow(expect.objectContaining({ name: 'Fault' }));
  });
});
