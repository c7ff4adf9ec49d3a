/** How a request becomes a goal, and that an invalid request starts nothing. */
import { describe, expect, test } from 'vitest';
import { agent, asking, countedIds, identity, NOW, PRIMARY, request } from '../../test/intake/cases.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import { type GoalDeps, receiveGoal } from './receive-goal.ts';

const arrival = (ids = countedIds()): GoalDeps => ({ ids, now: NOW, verdictGapMs: 0 });

test('turns a request into a goal with an id, criteria and inputs', () => {
  expect(receiveGoal(request, agent, arrival())).toEqual({
    type: 'goal_received',
    run_id: 'run_2',
    trace_id: 'trace_3',
    tenant_id: 'tenant_acme_prod',
    goal: { goal_id: 'goal_1', intent: 'support.refund', ...request.goal },
    inputs: { order_id: 'ord_881' },
    identity,
    expires_at: NOW + 86_400_000,
    heartbeat_ms: null,
  });
});

test.for([
  ['with criteria', request],
  ['with a call', { ...request, goal: { statement: 'Refund it.' }, call: { tool: 'orders.lookup', args: {} } }],
  ['without either', { ...request, goal: { statement: 'Refund it.' } }],
])('stores the fields of a goal in one order, %s', ([, from]) => {
  const { goal } = receiveGoal(from, agent, arrival());
  expect(Object.keys(goal).slice(0, 4)).toEqual(['goal_id', 'statement', 'intent', 'acceptance_criteria']);
});

describe('criteria', () => {
  test('default to those of the intent', () => {
    const { inputs: _, ...bare } = request;
    const { goal, inputs } = receiveGoal({ ...bare, goal: { statement: 'Refund it.' } }, agent, arrival());
    expect(goal.acceptance_criteria).toEqual([PRIMARY]);
    expect(goal).not.toHaveProperty('required_fields');
    expect(inputs).toEqual({});
  });

  test('default to reaching the goal for an undeclared intent', () => {
    const { goal } = receiveGoal(asking('Water the plants.', 'garden.water'), agent, arrival());
    expect(goal.acceptance_criteria).toEqual([expect.objectContaining({ id: 'goal_reached', rank: 'primary' })]);
  });

  test.each([
    ['none', []],
    ['none that is primary', [{ ...PRIMARY, rank: 'secondary' }]],
    ['one twice', [PRIMARY, PRIMARY]],
  ])('are refused with their path in the request: %s', (_, acceptance_criteria) => {
    const broken = { ...request, goal: { statement: 'Refund it.', acceptance_criteria } };
    expect(() => receiveGoal(broken, agent, arrival())).toThrow(
      expect.objectContaining({ code: 'envelope_invalid', path: '/goal/acceptance_criteria' }),
    );
  });
});

test.each([
  ['requested', request],
  ['declared', { ...request, goal: { statement: 'Refund it.' } }],
])('freezes a goal whose criteria were %s, and leaves its source unfrozen', (_, from) => {
  const frozen = deepFreeze(structuredClone(from));
  const { goal } = receiveGoal(frozen, agent, arrival());
  expect(() => Object.assign(goal, { statement: 'Refund everything.' })).toThrow(TypeError);
  expect(() => Object.assign(goal.acceptance_criteria[0] ?? {}, { rank: 'secondary' })).toThrow(TypeError);
  const loose = structuredClone(from);
  receiveGoal(loose, agent, arrival());
  expect(Object.isFrozen(loose.goal)).toBe(false);
});

test('refuses a malformed goal id, with and without explicit criteria', () => {
  for (const from of [request, asking('Refund it.')]) {
    const naming = { ...arrival(), ids: { next: () => 'no name' } };
    expect(() => receiveGoal(from, agent, naming)).toThrow(
      expect.objectContaining({ code: 'envelope_invalid', path: '/goal/goal_id' }),
    );
  }
});

describe('no run is started', () => {
  const { tenant_id: _, ...noTenant } = request;
  const { intent: __, ...noIntent } = request;
  test.each([
    ['a request without a tenant', noTenant, 'envelope_invalid', '/tenant_id'],
    ['a request without an intent', noIntent, 'envelope_invalid', '/intent'],
    ['a request for another agent', { ...request, agent: 'billing' }, 'envelope_invalid', '/agent'],
    ['an identity of another tenant', { ...request, tenant_id: 'tenant_b' }, 'envelope_invalid', '/tenant_id'],
    ['no identity', { ...request, identity: null }, 'envelope_invalid', '/identity'],
    ['a goal that is not a string', { ...request, goal: { statement: 7 } }, 'envelope_invalid', '/goal/statement'],
    ['a blank goal in a broken envelope', { ...noIntent, goal: { statement: ' ' } }, 'envelope_invalid', '/intent'],
    ['control characters', asking('Refund\u0000 it'), 'envelope_invalid', '/goal/statement'],
    [
      'a short session',
      { ...request, mode: 'long_running', runtime: { max_session_duration_ms: 3_599_999 } },
      'session_duration_too_short',
      '/runtime/max_session_duration_ms',
    ],
    ['text', 'Refund order ord_881', 'envelope_invalid', ''],
    ['a __proto__ key', JSON.parse('{"__proto__": {}}'), 'input_invalid', '/__proto__'],
  ])('for %s', (__name, broken, code, path) => {
    const ids = countedIds();
    expect(() => receiveGoal(broken, agent, arrival(ids))).toThrow(expect.objectContaining({ code, path }));
    expect(ids.taken()).toBe(0);
  });
});

test('accepts a blank goal, which leads to a question to the user and not to a fault', () => {
  for (const statement of ['', '  \n\t ']) {
    const { goal, tenant_id } = receiveGoal(asking(statement), agent, arrival());
    expect(goal.statement).toBe('');
    expect(tenant_id).toBe(identity.tenant_id);
    expect(Object.isFrozen(goal)).toBe(true);
  }
});
