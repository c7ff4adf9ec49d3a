import { describe, expect, test } from 'vitest';
import type { RunEvent } from './event.ts';
import { malformedField, malformedRequired, missingField } from './event-fields.ts';
import { parseEvent } from './event-schema.ts';

const ADDRESS = `sha256:${'0'.repeat(64)}`;
const decided = {
  type: 'gate_decided',
  at: 5,
  gate_id: 'gate_1',
  packet_hash: ADDRESS,
  decision: 'approve',
  approver: 'user_1',
  reason: '',
};
const judged = { type: 'step_judged', at: 5, step_id: 'a', scores: { utility: 1 }, criteria: {}, findings: [] };
const observed = {
  type: 'step_observed',
  at: 5,
  call_id: 'call_1',
  outcome: 'ok',
  raw: null,
  spent: { input_tokens: 0, output_tokens: 0, microusd: 0 },
};

describe('malformedField', () => {
  test.each([decided, judged, observed])('accepts $type as its schema does', (event) => {
    expect(parseEvent(event)).toEqual(event);
    expect(malformedField(event)).toBeNull();
  });

  test.each([
    ['an unknown type', { ...decided, type: 'gate_exploded' }, 'type'],
    ['a type that reaches into a prototype', { ...decided, type: 'constructor' }, 'type'],
    ['no object', null, 'type'],
    ['a list', [decided], 'type'],
    ['a time that is no integer', { ...decided, at: 0.5 }, 'at'],
    ['a missing field', { ...decided, approver: undefined }, 'approver'],
    ['an empty name', { ...decided, approver: '' }, 'approver'],
    ['a value that is not listed', { ...decided, decision: 'maybe' }, 'decision'],
    ['an optional field of another kind', { ...decided, parameters: 1 }, 'parameters'],
    ['an object without one of its fields', { ...observed, spent: { input_tokens: 0, output_tokens: 0 } }, 'spent'],
    ['a text for a count', { ...observed, spent: { ...observed.spent, microusd: '1' } }, 'spent'],
    ['a number out of range', { ...judged, scores: { utility: 2 } }, 'scores'],
    ['an object for a list', { ...judged, findings: {} }, 'findings'],
  ])('names the field: %s', (_name, value, field) => {
    expect(() => parseEvent(value)).toThrow();
    expect(malformedField(value)).toBe(field);
  });
});

test('accepts a cost that is out of range, which the kernel handles', () => {
  expect(malformedField({ ...observed, spent: { ...observed.spent, microusd: -1 } })).toBeNull();
});

test('requires the fields that the schema requires', () => {
  const { reason: _, ...without } = decided;
  expect(missingField(without as RunEvent)).toBe('reason');
  expect(missingField({ ...decided, reason: null } as unknown as RunEvent)).toBeNull();
  expect(malformedRequired({ ...decided, reason: null } as unknown as RunEvent)).toBe('reason');
  expect(malformedRequired({ ...decided, parameters: 1 } as unknown as RunEvent)).toBeNull();
});
