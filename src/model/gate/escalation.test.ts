import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../test/documents/examples.ts';
import { parse } from '../json/parse.ts';
import {
  ENDPOINTS,
  ESCALATION_MATRIX,
  EscalationEvent,
  type EscalationTrigger,
  OTHER_TRIGGERS,
  RISK_STATES,
  ROUTE_OF_CLASS,
  SEVERITIES,
  TRIGGER_CLASSES,
} from './escalation.ts';

test('the matrix lists the eleven specified states first, and has a row for every trigger', () => {
  expect(RISK_STATES).toHaveLength(11);
  expect(Object.keys(ESCALATION_MATRIX)).toEqual([...RISK_STATES, ...OTHER_TRIGGERS]);
});

test('each trigger class has its own route', () => {
  expect(Object.keys(ROUTE_OF_CLASS)).toEqual([...TRIGGER_CLASSES]);
  expect(new Set(Object.values(ROUTE_OF_CLASS)).size).toBe(5);
});

test('every row has distinct endpoints and ordered severities', () => {
  for (const { endpoints, severity, recovery } of Object.values(ESCALATION_MATRIX)) {
    expect(endpoints.length).toBeGreaterThan(0);
    expect(new Set(endpoints).size).toBe(endpoints.length);
    expect(SEVERITIES.indexOf(severity.least)).toBeLessThanOrEqual(SEVERITIES.indexOf(severity.most));
    expect(recovery).toMatch(/^[A-Z].*\.$/);
  }
});

test('every endpoint appears in a row', () => {
  const named = new Set(Object.values(ESCALATION_MATRIX).flatMap(({ endpoints }) => endpoints));
  expect(ENDPOINTS.filter((endpoint) => !named.has(endpoint))).toEqual([]);
});

describe('rows fixed by the specification', () => {
  const rows: readonly (readonly [EscalationTrigger, string, string, string])[] = [
    ['high_impact_mutation', 'privileged_mutation', 'high', 'user'],
    ['financial_commitment', 'privileged_mutation', 'high', 'manager'],
    ['external_communication', 'privileged_mutation', 'moderate', 'user'],
    ['missing_input', 'missing_information', 'low', 'user'],
    ['ambiguous_goal', 'missing_information', 'low', 'user'],
    ['low_confidence', 'uncertainty', 'moderate', 'specialist_model'],
    ['tool_failure', 'outage', 'moderate', 'repair'],
    ['budget_limit', 'privileged_mutation', 'moderate', 'budget_queue'],
    ['provider_outage', 'outage', 'moderate', 'sre'],
    ['security_breach', 'safety', 'high', 'security'],
    ['repeated_denial', 'safety', 'moderate', 'security'],
  ];
  test.each(rows)('%s: %s, %s, %s', (trigger, trigger_class, least, first) => {
    const row = ESCALATION_MATRIX[trigger];
    expect(row).toMatchObject({ trigger_class, severity: { least } });
    expect(row.endpoints[0]).toBe(first);
  });
});

test.each([
  ['no recipient', { recipient: null }],
  ['a recipient nobody knows', { recipient: 'the_model' }],
  ['no reason', { reason: ' ' }],
  ['an unknown trigger', { trigger: 'bad_mood' }],
])('rejects an escalation with %s', (_, change) => {
  expect(() =>
    parse(EscalationEvent, { ...readDocument('escalation-event'), ...change }, 'escalation_invalid'),
  ).toThrow(expect.objectContaining({ code: 'escalation_invalid', path: `/${Object.keys(change)[0]}` }));
});
