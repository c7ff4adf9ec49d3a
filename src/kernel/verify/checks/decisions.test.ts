/** Proves that checkpoints follow known steps, have their evidence, and precede the actions of their decision. */
import { describe, expect, test } from 'vitest';
import {
  context,
  decision,
  known,
  planOf,
  problemLines,
  REFUND_PLAN,
  spec,
} from '../../../../test/kernel/verify/fixtures.ts';
import { verifies } from '../../../../test/requirements/verifies.ts';
import type { DecisionSpec } from '../../../model/critic/decision.ts';
import type { Plan, PlanStep } from '../../../model/plan/plan.ts';
import type { RiskClass } from '../../../model/policy/risk.ts';
import type { KnownState } from '../verify-context.ts';
import { type PlanVerification, verifyPlan } from '../verify-plan.ts';

const specs = [
  spec('look', { produces: ['order'] }),
  spec('judge', { produces: ['policy'] }),
  spec('act'),
  spec('idle'),
];

interface Case {
  readonly catalog?: readonly DecisionSpec[];
  readonly risk?: RiskClass;
  readonly known?: Partial<KnownState>;
}
function verify(plan: Plan, { catalog = [], risk = 'low', known: state = {} }: Case): PlanVerification {
  const decisions = new Map(catalog.map((one) => [one.decision_id, one]));
  return verifyPlan(plan, context({ specs, catalog: decisions, risk, known: known(state) }), 2);
}
const checkpointAfter = (step: string, decision_id: string = 'd'): Partial<Plan> => ({
  decision_checkpoints: [{ decision_id, after_step: step }],
});
const step = (id: string, tool: string, ...depends_on: string[]): PlanStep => ({ id, tool, depends_on });

verifies('plan:checkpoint:after-step-exists', 'refuses a checkpoint after an unknown step', () => {
  const plan = { ...REFUND_PLAN, decision_checkpoints: [{ decision_id: 'support.refund.execute', after_step: 's7' }] };
  const verification = verifyPlan(plan, context(), 2);
  expect(problemLines(verification)).toContain('unknown_checkpoint_step /decision_checkpoints/0/after_step');
  expect(verification.verdict).toBe('replan');
});

verifies('catalog:decision:resolves-to-spec', 'applies a known decision, refuses an unknown one', () => {
  const plan = planOf([step('s1', 'idle')], checkpointAfter('s1'));
  expect(problemLines(verify(plan, { catalog: [decision('d')] }))).toEqual([]);
  expect(problemLines(verify(plan, { catalog: [decision('d', { evidence: ['order'] })] }))).toEqual([
    'evidence_missing /decision_checkpoints/0',
  ]);
  const unknown = verify(plan, { catalog: [decision('other')] });
  expect(problemLines(unknown)).toEqual(['decision_unknown /decision_checkpoints/0/decision_id']);
  expect(unknown.problems[0]?.message).toContain('other');
});

describe('actions of a decision', () => {
  const catalog = [decision('d', { actions: ['act'] })];

  verifies('verify:decision:binding-rules', 'refuses an action that does not depend on the checkpoint', () => {
    const unordered = planOf([step('s1', 'look'), step('s2', 'act')], checkpointAfter('s1'));
    const verification = verify(unordered, { catalog });
    expect(problemLines(verification)).toEqual(['decision_unbound /steps/1/depends_on']);
    expect(verification.problems[0]).toMatchObject({ step_id: 's2', detail: { decision_id: 'd' } });
    const behind = planOf(
      [step('s1', 'look'), step('s2', 'idle', 's1'), step('s3', 'act', 's2')],
      checkpointAfter('s1'),
    );
    expect(verify(behind, { catalog }).verdict).toBe('ok');
  });

  test('refuses an action that is itself the step before the checkpoint', () => {
    expect(problemLines(verify(planOf([step('s1', 'act')], checkpointAfter('s1')), { catalog }))).toEqual([
      'decision_unbound /steps/0/depends_on',
    ]);
  });

  test('refuses an action without a checkpoint, unless the decision was taken earlier in the run', () => {
    const plan = planOf([step('s1', 'act')]);
    expect(problemLines(verify(plan, { catalog }))).toEqual(['decision_unbound /steps/0/depends_on']);
    expect(verify(plan, { catalog, known: { decided: new Set(['d']) } }).verdict).toBe('ok');
  });

  test('one of several checkpoints of a decision is sufficient', () => {
    const checkpoints = { decision_checkpoints: ['s1', 's2'].map((after_step) => ({ decision_id: 'd', after_step })) };
    const steps = [step('s1', 'look'), step('s2', 'judge'), step('s3', 'act', 's2'), step('s4', 'act', 's1')];
    expect(verify(planOf(steps, checkpoints), { catalog }).verdict).toBe('ok');
  });

  test('an action of two decisions needs checkpoints of both', () => {
    const both = [...catalog, decision('e', { actions: ['act'] })];
    const steps = [step('s1', 'look'), step('s2', 'act', 's1')];
    const checkpoints = { decision_checkpoints: [{ decision_id: 'd', after_step: 's1' }] };
    expect(verify(planOf(steps, checkpoints), { catalog: both }).problems).toMatchObject([
      { detail: { decision_id: 'e' } },
    ]);
  });

  test('matches forty decisions to their own actions', () => {
    const many = Array.from({ length: 40 }, (_, index) => decision(`d${index}`, { actions: [`act${index}`] }));
    const tools = [...specs, ...many.map((_, index) => spec(`act${index}`))];
    const steps = many.flatMap((_, index) => [
      step(`c${index}`, 'idle'),
      step(`a${index}`, `act${index}`, `c${index === 33 ? 34 : index}`),
    ]);
    const decision_checkpoints = many.map(({ decision_id }, index) => ({ decision_id, after_step: `c${index}` }));
    const catalogue = new Map(many.map((one) => [one.decision_id, one]));
    const verification = verifyPlan(
      planOf(steps, { decision_checkpoints }),
      context({ specs: tools, catalog: catalogue }),
      2,
    );
    expect(verification.problems).toMatchObject([{ code: 'decision_unbound', step_id: 'a33' }]);
  });
});

describe('evidence', () => {
  const catalog = [decision('d', { evidence: ['order', 'policy'] })];

  verifies(
    'verify:evidence:requirements-met',
    'the evidence of a decision comes from the context or a step up to the checkpoint',
    () => {
      const late = planOf(
        [step('s1', 'look'), step('s2', 'idle', 's1'), step('s3', 'judge', 's2')],
        checkpointAfter('s2'),
      );
      const verification = verify(late, { catalog });
      expect(problemLines(verification)).toEqual(['evidence_missing /decision_checkpoints/0']);
      expect(verification.problems[0]?.detail).toEqual({ decision_id: 'd', type: 'policy' });
      expect(verify(late, { catalog, known: { evidence: new Set(['policy']) } }).verdict).toBe('ok');
      const own = planOf([step('s1', 'look'), step('s2', 'judge', 's1')], checkpointAfter('s2'));
      expect(verify(own, { catalog }).verdict).toBe('ok');
    },
  );

  test('at high risk the checkpoint must depend on the step that supplies the evidence', () => {
    const independent = planOf([step('s1', 'look'), step('s2', 'judge')], checkpointAfter('s2'));
    expect(verify(independent, { catalog, risk: 'low' }).verdict).toBe('ok');
    expect(verify(independent, { catalog, risk: 'moderate' }).verdict).toBe('ok');
    expect(verify(independent, { catalog, risk: 'high' }).problems).toMatchObject([
      { code: 'evidence_missing', detail: { type: 'order' } },
    ]);
    const chained = planOf(
      [step('s1', 'look'), step('s0', 'idle', 's1'), step('s2', 'judge', 's0')],
      checkpointAfter('s2'),
    );
    expect(verify(chained, { catalog, risk: 'high' }).verdict).toBe('ok');
  });

  test('uses the order of execution, not of the list', () => {
    const listed = planOf(
      [step('s1', 'judge', 's3'), step('s2', 'idle', 's1'), step('s3', 'look')],
      checkpointAfter('s2'),
    );
    expect(verify(listed, { catalog, risk: 'critical' }).verdict).toBe('ok');
  });
});

describe('approvals of a decision', () => {
  const catalog = [decision('d', { actions: ['act'], approvals: ['GATE_LEGAL', 'GATE_OWNER'] })];
  const acting = (requires: readonly string[]): Plan =>
    planOf([step('s1', 'look'), { ...step('s2', 'act', 's1'), requires }], checkpointAfter('s1'));

  test('refuses a step that leaves out a gate, and names the gate and the decision', () => {
    const verification = verify(acting(['GATE_OWNER']), { catalog });
    expect(problemLines(verification)).toEqual(['approval_missing /steps/1/requires']);
    expect(verification.verdict).toBe('replan');
    expect(verification.problems[0]).toMatchObject({
      step_id: 's2',
      message: 'step s2: the decision d asks for gates that requires must name: GATE_LEGAL',
      detail: { decision_id: 'd', missing: ['GATE_LEGAL'] },
    });
  });

  test('apply only to the actions of the decision', () => {
    expect(verify(acting(['GATE_LEGAL', 'GATE_OWNER']), { catalog }).verdict).toBe('ok');
    expect(verify(planOf([step('s1', 'idle')]), { catalog }).verdict).toBe('ok');
  });
});
