/** Tests the route, severity and recipient of each escalation trigger. */
import { readFileSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { verifies } from '../../../../test/requirements/verifies.ts';
import {
  ENDPOINTS,
  type Endpoint,
  EscalationEvent,
  OTHER_TRIGGERS,
  RISK_STATES,
  ROUTE_OF_CLASS,
  SEVERITIES,
  TRIGGER_CLASSES,
} from '../../../model/gate/escalation.ts';
import { deepFreeze } from '../../../model/json/freeze.ts';
import { parse } from '../../../model/json/parse.ts';
import { assertRecipient, type EscalationFacts, escalation, pagerTarget } from './escalation.ts';

const facts: EscalationFacts = deepFreeze({
  escalation_id: 'esc_1',
  step_id: 's3',
  reason: 'the refund is above what the agent may give',
  refs: ['ev_1'],
  severe: false,
  paths: [...ENDPOINTS],
});

const row = (trigger: string): unknown[] => {
  const mild = escalation(trigger, facts);
  const severe = escalation(trigger, { ...facts, severe: true });
  return [trigger, mild.trigger_class, mild.route, mild.severity, severe.severity, mild.recipient];
};

describe('the matrix', () => {
  test('has eleven rows with class, route, least and most severity, and endpoints', () => {
    expect(RISK_STATES.map(row)).toEqual([
      ['high_impact_mutation', 'privileged_mutation', 'approval_gate', 'high', 'high', 'user'],
      ['financial_commitment', 'privileged_mutation', 'approval_gate', 'high', 'high', 'manager'],
      ['external_communication', 'privileged_mutation', 'approval_gate', 'moderate', 'high', 'user'],
      ['missing_input', 'missing_information', 'ask', 'low', 'low', 'user'],
      ['ambiguous_goal', 'missing_information', 'ask', 'low', 'moderate', 'user'],
      ['low_confidence', 'uncertainty', 'review', 'moderate', 'moderate', 'specialist_model'],
      ['tool_failure', 'outage', 'degraded_mode', 'moderate', 'moderate', 'repair'],
      ['budget_limit', 'privileged_mutation', 'approval_gate', 'moderate', 'high', 'budget_queue'],
      ['provider_outage', 'outage', 'degraded_mode', 'moderate', 'high', 'sre'],
      ['security_breach', 'safety', 'fail_closed', 'high', 'high', 'security'],
      ['repeated_denial', 'safety', 'fail_closed', 'moderate', 'high', 'security'],
    ]);
  });

  verifies('escalate:routing:five-trigger-classes', 'routes one trigger of each class', () => {
    expect(escalation('security_breach', facts).route).toBe('fail_closed');
    expect(escalation('high_impact_mutation', facts).route).toBe('approval_gate');
    expect(escalation('missing_input', facts).route).toBe('ask');
    expect(escalation('low_confidence', facts).route).toBe('review');
    expect(escalation('provider_outage', facts).route).toBe('degraded_mode');
    for (const unknown of ['sunspots', '', 'toString', '__proto__']) {
      expect(escalation(unknown, facts).route).toBe('fail_closed');
      expect(escalation(unknown, facts)).toMatchObject({ trigger: 'security_breach', recipient: 'security' });
    }
  });
});

test('the guide lists the route of every class', () => {
  const guide = readFileSync(new URL('../../../../docs/concepts/how-runs-end.md', import.meta.url), 'utf8');
  const rows = guide.matchAll(/^\| `([a-z_]+)` \| `([a-z_]+)`:/gm);
  expect(Object.fromEntries(Array.from(rows, ([, each, route]) => [each, route]))).toEqual(ROUTE_OF_CLASS);
});

describe('the event', () => {
  test('carries its facts and fits the schema', () => {
    const event = escalation('financial_commitment', facts);
    expect(parse(EscalationEvent, event, 'event_invalid')).toEqual({
      escalation_id: 'esc_1',
      trigger: 'financial_commitment',
      trigger_class: 'privileged_mutation',
      route: 'approval_gate',
      severity: 'high',
      recipient: 'manager',
      step_id: 's3',
      reason: facts.reason,
      refs: ['ev_1'],
    });
  });

  test('marks an unknown trigger', () => {
    expect(escalation('sunspots', facts).reason).toBe(`unknown trigger: ${facts.reason}`);
  });

  test('pages a different endpoint for four kinds of trouble', () => {
    const recipients = ['security_breach', 'provider_outage', 'regulated_review', 'workflow_issue'].map(
      (trigger) => escalation(trigger, facts).recipient,
    );
    expect(recipients).toEqual(['security', 'sre', 'compliance', 'workflow_owner']);
  });

  test('is rejected without a recipient', () => {
    const invalid = expect.objectContaining({ code: 'escalation_invalid' });
    const event = escalation('missing_input', facts);
    expect(() => assertRecipient({ ...event, recipient: '' as Endpoint })).toThrowError(invalid);
    expect(() => assertRecipient({ ...event, recipient: 'nobody' as Endpoint })).toThrowError(invalid);
    expect(() => escalation('missing_input', { ...facts, paths: [] })).toThrowError(invalid);
    expect(() => assertRecipient(event)).not.toThrow();
  });
});

describe('the boundary limits the recipient', () => {
  const to = (trigger: string, ...paths: readonly Endpoint[]): Endpoint =>
    escalation(trigger, { ...facts, paths }).recipient;

  test('to the first endpoint of the row that it names', () => {
    expect(to('low_confidence', 'review_queue', 'operator')).toBe('review_queue');
    expect(to('high_impact_mutation', 'operator')).toBe('operator');
  });

  test('to the paged endpoint, then to its first endpoint, if it names none of the row', () => {
    expect(to('tool_failure', 'user', 'sre')).toBe('sre');
    expect(to('budget_limit', 'supervisor', 'workflow_owner')).toBe('workflow_owner');
    expect(to('budget_limit', 'supervisor')).toBe('supervisor');
  });

  test('but never keeps a breach from security', () => {
    expect(to('security_breach', 'user')).toBe('security');
    expect(to('security_breach')).toBe('security');
  });

  const trigger = fc.oneof(fc.constantFrom(...RISK_STATES, ...OTHER_TRIGGERS), fc.string());
  const paths = fc.uniqueArray(fc.constantFrom(...ENDPOINTS), { minLength: 1 });
  test.prop([trigger, paths, fc.boolean()])('and always leaves a recipient', (name, reach, severe) => {
    const event = escalation(name, { ...facts, paths: reach, severe });
    assertRecipient(event);
    if (event.trigger_class !== 'safety') expect(reach).toContain(event.recipient);
    else expect(['security', 'compliance', 'operator']).toContain(event.recipient);
  });
});

test('pages by class and severity', () => {
  const pagers = TRIGGER_CLASSES.map((each) => [each, ...SEVERITIES.map((severity) => pagerTarget(each, severity))]);
  expect(pagers).toEqual([
    ['safety', 'security', 'security', 'security'],
    ['privileged_mutation', 'workflow_owner', 'workflow_owner', 'workflow_owner'],
    ['missing_information', 'workflow_owner', 'workflow_owner', 'workflow_owner'],
    ['uncertainty', 'workflow_owner', 'workflow_owner', 'compliance'],
    ['outage', 'workflow_owner', 'sre', 'sre'],
  ]);
});
