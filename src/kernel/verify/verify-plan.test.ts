/** Proves the results of verification: three verdicts, all problems at once, more checks at higher risk. */
import { describe, expect, test } from 'vitest';
import {
  context,
  known,
  planOf,
  problemLines,
  REFUND_PLAN,
  REFUND_TOOLS,
  spec,
} from '../../../test/kernel/verify/fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { RISK_CLASSES } from '../../model/policy/risk.ts';
import { CHECKS } from './check-table.ts';
import { rulingOn } from './verdict.ts';
import { verifyPlan } from './verify-plan.ts';

describe('the refund plan', () => {
  test.each(RISK_CLASSES)('passes at %s risk and is not copied', (risk) => {
    const verification = verifyPlan(REFUND_PLAN, context({ risk }), 2);
    expect(verification).toMatchObject({ verdict: 'ok', problems: [], unproven: [] });
    expect(verification.plan).toBe(REFUND_PLAN);
    expect(verification.projected).toEqual({
      steps: 3,
      tool_calls: 3,
      external_api_calls: 1,
      side_effects: 1,
      input_tokens: 0,
      output_tokens: 0,
      cost_microusd: 500,
    });
  });
});

verifies('plan:schema:top-level-fields', 'requires all four top-level fields', () => {
  const read = verifyPlan(JSON.parse(JSON.stringify(REFUND_PLAN)), context(), 2);
  expect(read.verdict).toBe('ok');
  expect(read.plan).toMatchObject({ plan_id: 'plan_refund_01', intent: 'support.refund' });
  expect(read.plan?.steps.map(({ id }) => id)).toEqual(['s1', 's2', 's3']);
  expect(read.plan?.decision_checkpoints).toEqual([{ decision_id: 'support.refund.execute', after_step: 's2' }]);
  for (const field of Object.keys(REFUND_PLAN)) {
    const rest = Object.fromEntries(Object.entries(REFUND_PLAN).filter(([name]) => name !== field));
    expect(problemLines(verifyPlan(rest, context(), 2))).toEqual([`plan_untyped /${field}`]);
  }
});

verifies('plan:schema:step-fields', 'a step requires only an id and a tool', () => {
  const tools = { specs: [spec('t')], catalog: new Map() };
  expect(verifyPlan(planOf([{ id: 's1', tool: 't' }]), context(tools), 2).verdict).toBe('ok');
  const full = { id: 's1', tool: 't', params: { a: 1 }, depends_on: [], approval_mode: 'local_write', requires: ['G'] };
  expect(verifyPlan({ ...planOf([]), steps: [full] }, context(tools), 2).verdict).toBe('ok');
  const untooled = verifyPlan({ ...planOf([]), steps: [{ id: 's1', tool: 't' }, { id: 's7' }] }, context(tools), 2);
  expect(untooled).toMatchObject({ verdict: 'replan', plan: null });
  expect(untooled.problems).toMatchObject([{ code: 'plan_untyped', path: '/steps/1/tool', step_id: 's7' }]);
  expect(untooled.problems[0]?.message).toContain('s7');
});

describe('refuses as a plan', () => {
  // biome-ignore format: a table is read by its columns, one row a line
  const rows: readonly (readonly [string, unknown, string])[] = [
    ['prose', 'First I would look up the order.', 'plan_untyped '],
    ['nothing', undefined, 'input_invalid '],
    ['a list', [], 'plan_untyped '],
    ['a plan without steps', { ...REFUND_PLAN, steps: [] }, 'plan_untyped /steps'],
    ['a further field', { ...REFUND_PLAN, note: 'x' }, 'plan_untyped '],
    ['a control character in an id', planOf([{ id: 's\u0000', tool: 't' }]), 'plan_untyped /steps/0/id'],
    ['a prototype key', JSON.parse('{"steps":[{"params":{"__proto__":1}}]}'), 'input_invalid /steps/0/params/__proto__'],
    ['a number that is none', planOf([{ id: 's', tool: 't', params: { a: Number.NaN } }]), 'input_invalid /steps/0/params/a'],
    ['a function', { ...REFUND_PLAN, intent: () => 1 }, 'input_invalid /intent'],
    ['a huge string', planOf([{ id: 's', tool: 't', params: { a: 'x'.repeat(2_000_000) } }]), 'json_too_large /steps/0/params/a'],
    ['too many steps', planOf(Array.from({ length: 10_001 }, (_, i) => ({ id: `s${i}`, tool: 't' }))), 'plan_too_large /steps'],
  ];
  test.each(rows)('%s', (_name, proposed, expected) => {
    const verification = verifyPlan(proposed, context(), 2);
    expect(problemLines(verification)[0]).toBe(expected);
    expect(verification).toMatchObject({ plan: null, checks: ['typed'], projected: {} });
  });

  test('unlimited nesting', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 5_000; level += 1) deep = { deep };
    expect(verifyPlan({ ...REFUND_PLAN, intent: deep }, context(), 2).problems).toMatchObject([
      { code: 'json_too_deep' },
    ]);
  });

  test('an object that throws when it is read', () => {
    const getOwnPropertyDescriptor = (): never => {
      throw new TypeError('no');
    };
    expect(problemLines(verifyPlan(new Proxy({}, { getOwnPropertyDescriptor }), context(), 2))).toEqual([
      'plan_untyped ',
    ]);
  });

  test('prose and an object without steps, and returns no plan', () => {
    const { steps: _, ...stepless } = REFUND_PLAN;
    for (const proposed of ['Refund the order, please', stepless]) {
      const verification = verifyPlan(proposed, context(), 2);
      expect(verification.plan).toBeNull();
      expect(verification.problems.map(({ code }) => code)).toEqual(['plan_untyped']);
      expect(verification.verdict).not.toBe('ok');
    }
  });
});

test('returns exactly one of three verdicts', () => {
  const fixable = planOf([{ id: 's1', tool: 'teleport' }]);
  const conflicting = context({ policy: { version: 'p1', invariants: () => [{ invariant: 'i', message: 'm' }] } });
  expect(verifyPlan(REFUND_PLAN, context(), 0).verdict).toBe('ok');
  expect(verifyPlan(fixable, context(), 1).verdict).toBe('replan');
  expect(verifyPlan(fixable, context(), 0).verdict).toBe('reject');
  expect(verifyPlan(REFUND_PLAN, conflicting, 2).verdict).toBe('reject');
  expect(verifyPlan('prose', context(), 1).verdict).toBe('replan');
  expect(verifyPlan('prose', context(), 0).verdict).toBe('reject');
});

test('one problem that cannot be fixed rejects the plan', () => {
  const plan = planOf([
    { id: 's1', tool: 'teleport' },
    { id: 's2', tool: 'adp_payments.issue_refund', requires: ['GATE_FINANCE_APPROVAL'] },
  ]);
  const verification = verifyPlan(plan, context({ authority: 'network', catalog: new Map() }), 2);
  expect(problemLines(verification)).toEqual([
    'hallucinated_capability /steps/0/tool',
    'approval_authority_exceeded /steps/1/tool',
  ]);
  expect(verification.verdict).toBe('reject');
});

test('reports every problem at once, each with its path', () => {
  const plan = planOf(
    [
      { id: 's1', tool: 'adp_orders.lookup', params: { order_id: 5 }, depends_on: ['s9'] },
      { id: 's1', tool: 'teleport', inputs: ['nope'] },
      { id: 's3', tool: 'adp_payments.issue_refund', approval_mode: 'read_only', because: ['rumour'] },
      { id: 's4', tool: 'adp_policy.eval', depends_on: ['s5'], params: { a: [{ $from: 's3', path: '/x' }] } },
      { id: 's5', tool: 'adp_policy.eval', depends_on: ['s4'], params: { 'a/b': { $from: 'gone', path: '' } } },
    ],
    {
      decision_checkpoints: [{ decision_id: 'made.up', after_step: 's7' }],
      subtasks: [{ id: 'a', goal: 'g', completion_criteria: [], depth: 3 }],
    },
  );
  const verification = verifyPlan(
    plan,
    context({ remaining: { steps: 4, tool_calls: 9, external_api_calls: 9, side_effects: 9, cost_microusd: 999 } }),
    2,
  );
  expect([...problemLines(verification)].sort()).toEqual(
    [
      'duplicate_step_id /steps/1/id',
      'unknown_dependency /steps/0/depends_on/0',
      'dependency_cycle /steps/3/depends_on',
      'hallucinated_capability /steps/1/tool',
      'invalid_context_key /steps/1/inputs/0',
      'argument_invalid /steps/0/params/order_id',
      'binding_unresolved /steps/4/params/a~1b',
      'approval_mode_mismatch /steps/2/approval_mode',
      'approval_missing /steps/2/requires',
      'unknown_checkpoint_step /decision_checkpoints/0/after_step',
      'decision_unknown /decision_checkpoints/0/decision_id',
      'decision_unbound /steps/2/depends_on',
      'contaminated_support /steps/2/because/0',
      'subtask_criteria_missing /subtasks/0/completion_criteria',
      'depth_exceeded /subtasks/0/depth',
      'budget_projection_exceeded /steps',
    ].sort(),
  );
  for (const { code } of verification.problems) expect(rulingOn(code)).not.toBeNull();
});

verifies('verify:strictness:scales-with-risk', 'a higher risk runs all checks of a lower one', () => {
  const runAt = RISK_CLASSES.map((risk) => verifyPlan(REFUND_PLAN, context({ risk }), 2).checks);
  const [low = [], moderate = [], high = [], critical = []] = runAt;
  expect(low[0]).toBe('typed');
  expect(moderate).toEqual(expect.arrayContaining([...low]));
  expect(high).toEqual([...moderate, 'evidence_chain']);
  expect(critical).toEqual([...high, 'bindings_proven']);
  const always = CHECKS.filter(({ applies }) => applies === undefined);
  expect(critical).toHaveLength(always.length + 1);
});

test('critical risk refuses unproven bindings of steps that need approval', () => {
  const specs = [
    spec('any'),
    spec('send', { approval_mode: 'network', input_schema: { properties: { to: { type: 'string' } } } }),
  ];
  const bound = { to: { $from: 's1', path: '/address' } };
  const plan = planOf([
    { id: 's1', tool: 'any' },
    { id: 's2', tool: 'any', depends_on: ['s1'], params: bound },
    { id: 's3', tool: 'send', depends_on: ['s1'], params: bound, requires: ['G'] },
  ]);
  expect(verifyPlan(plan, context({ specs, catalog: new Map(), risk: 'high' }), 2).verdict).toBe('ok');
  const critical = verifyPlan(plan, context({ specs, catalog: new Map(), risk: 'critical' }), 2);
  expect(problemLines(critical)).toEqual(['binding_type_mismatch /steps/2/params/to']);
});

test('verifies a plan of 10,000 steps', () => {
  const specs = [
    spec('get', {
      input_schema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      output_schema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      produces: ['row'],
    }),
  ];
  const steps = Array.from({ length: 10_000 }, (_, index) => ({
    id: `s${index}`,
    tool: 'get',
    params: { id: index < 2 ? index : { $from: `s${index - 2}`, path: '/id' } },
    ...(index === 0 ? {} : { depends_on: [`s${index - 1}`] }),
  }));
  const verification = verifyPlan(planOf(steps), context({ specs, catalog: new Map(), risk: 'critical' }), 2);
  expect(verification).toMatchObject({ verdict: 'ok', problems: [], unproven: [], projected: { steps: 10_000 } });
});

test('does not change the context', () => {
  const frozen = { ...context(), known: deepFreeze(known()), remaining: deepFreeze(context().remaining) };
  const specs = deepFreeze(REFUND_TOOLS);
  expect(verifyPlan(REFUND_PLAN, { ...frozen, tools: context({ specs }).tools }, 2).verdict).toBe('ok');
});
