/** Tests each step evaluator on its own: full scores, deductions and findings. */
import { describe, expect, test } from 'vitest';
import { approval, lookup, refundCase, stepCase } from '../../../test/critic/cases.ts';
import { FULL } from '../evaluators/evaluator.ts';
import { assumptions } from './assumptions.ts';
import { attention } from './attention.ts';
import { cost } from './cost.ts';
import { evidence } from './evidence.ts';
import { expectation } from './expectation.ts';
import { grounding } from './grounding.ts';
import { policy } from './policy.ts';
import { receipt } from './receipt.ts';
import { type Detector, safety } from './safety.ts';
import { schema } from './schema.ts';
import { sources } from './sources.ts';

const PROBLEM = { code: 'tool_result_invalid', path: '/total_cents', message: 'must be a number' } as const;
const tokens = (input_tokens: number) => ({ input_tokens, output_tokens: 0, microusd: 0 });

describe('policy', () => {
  test('needs no gate for a harmless step', () => {
    expect(policy.assess(stepCase())).toBe(FULL);
  });

  test('gives 0 for a recorded refusal', () => {
    const c = stepCase({}, { policy: { permitted: false, reason: 'orders of employees are off limits' } });
    expect(policy.assess(c)).toEqual({ score: 0, note: 'not permitted: orders of employees are off limits' });
  });

  test('accepts a dangerous step with the approval of its gate', () => {
    expect(policy.assess(refundCase())).toBe(FULL);
  });

  test.each([
    ['no approval', []],
    ['an approval of another gate', [approval({ gate: 'GATE_SECURITY' })]],
    ['an approval of another step', [approval({ step_id: 's9' })]],
    ['a rejection', [approval({ decision: 'reject' })]],
  ])('rejects a dangerous step with %s', (_, approvals) => {
    expect(policy.assess(refundCase({}, { approvals }))).toEqual({
      score: 0,
      note: 'GATE_FINANCE_APPROVAL was not passed',
    });
  });

  test('requires the gates of the registry even if the plan names another', () => {
    const { step } = refundCase();
    const c = refundCase(
      { step: { ...step, requires: ['GATE_OTHER'] } },
      { approvals: [approval({ gate: 'GATE_OTHER' })] },
    );
    expect(policy.assess(c).note).toBe('GATE_FINANCE_APPROVAL was not passed');
  });

  test('requires an approval for a mode that does not run inline, even if no gate is named', () => {
    const tool = { ...lookup, approval_mode: 'network' as const };
    expect(policy.assess(stepCase({ tool })).note).toBe('an approval gate for network was not passed');
    expect(policy.assess(stepCase({ tool }, { approvals: [approval({ step_id: 's1' })] }))).toBe(FULL);
  });

  test('lets a plan tighten a mode, never weaken it', () => {
    const { step } = stepCase();
    const tightened = stepCase({ step: { ...step, approval_mode: 'destructive' } });
    expect(policy.assess(tightened).score).toBe(0);
    const weakened = refundCase({ step: { ...refundCase().step, approval_mode: 'read_only' } });
    expect(policy.assess(weakened).note).toBe('read_only is weaker than destructive, which the registry asks for');
  });
});

describe('safety', () => {
  const sees = (severity: 'low' | 'high'): Detector => ({
    name: 'secrets',
    version: '1',
    detect: (c) => (JSON.stringify(c.output).includes('AKIA') ? { severity, detail: 'an access key\u0007' } : null),
  });
  const leak = stepCase({ output: { note: 'AKIA…' } });

  test('gives a full score without detections or without detectors', () => {
    expect(safety([sees('high')]).assess(stepCase())).toBe(FULL);
    expect(safety([]).assess(leak)).toBe(FULL);
  });

  test('takes the severity from the detector and makes its detail printable', () => {
    expect(safety([sees('high')]).assess(leak)).toMatchObject({
      score: 0,
      findings: [{ kind: 'unsafe', severity: 'high', detail: 'secrets: an access key?' }],
    });
    expect(safety([sees('low')]).assess(leak)).toMatchObject({ score: 0.5, findings: [{ severity: 'low' }] });
  });

  test('reports all detections and counts the worst', () => {
    const both = safety([sees('low'), sees('high')]).assess(leak);
    expect(both.score).toBe(0);
    expect(both.findings).toHaveLength(2);
  });
});

describe('grounding', () => {
  test('accepts a verified result with resolved references', () => {
    expect(grounding.assess(stepCase())).toBe(FULL);
    expect(grounding.assess(stepCase({ outcome: 'timeout', output: null }))).toBe(FULL);
  });

  test.each([
    ['a result that failed its schema', { problems: [PROBLEM] }],
    ['a result of a call that timed out', { outcome: 'timeout' as const }],
  ])('does not accept %s', (_, over) => {
    expect(grounding.assess(stepCase(over))).toMatchObject({
      score: 0,
      findings: [{ kind: 'grounding_violation', severity: 'high' }],
    });
  });

  test('reports an unresolved reference', () => {
    expect(grounding.assess(stepCase({}, {}, { unresolved: ['ev_9'] }))).toMatchObject({
      score: 0,
      findings: [{ kind: 'grounding_violation', detail: 's1 leans on ev_9, which nothing supplied' }],
    });
  });
});

describe('schema', () => {
  test('gives a full score if the answer fits its schema', () => {
    expect(schema.assess(stepCase())).toBe(FULL);
  });

  test('gives 0 for problems and for a missing answer', () => {
    expect(schema.assess(stepCase({ problems: [PROBLEM] }))).toEqual({
      score: 0,
      note: 'problems: 1; first at /total_cents: must be a number',
    });
    expect(schema.assess(stepCase({ outcome: 'timeout' }))).toEqual({
      score: 0,
      note: 'the tool answered with timeout',
    });
  });
});

describe('expectation', () => {
  test('gives a full score for the expected evidence, with or without more', () => {
    expect(expectation.assess(stepCase({}, {}, { supplied: ['order', 'customer'] }))).toBe(FULL);
    expect(expectation.assess(stepCase({}, {}, { expected: [], supplied: [] }))).toBe(FULL);
  });

  test('reports evidence of another type', () => {
    expect(expectation.assess(stepCase({}, {}, { supplied: ['invoice'] }))).toMatchObject({
      score: 0,
      findings: [
        {
          kind: 'unexpected_evidence',
          severity: 'high',
          detail: 's1 was expected to supply order and supplied invoice',
        },
      ],
    });
  });

  test('gives 0 to a failed step without a finding', () => {
    const assessment = expectation.assess(stepCase({ outcome: 'error' }, {}, { supplied: [] }));
    expect(assessment).toEqual({ score: 0, note: 's1 brought nothing' });
  });

  test('gives the share of declared criteria that are met', () => {
    const criteria = [
      { id: 'found', evidence: 'order' },
      { id: 'paid', evidence: 'payment' },
    ];
    expect(expectation.assess(stepCase({}, { criteria }))).toEqual({ score: 0.5, note: 'not met: paid' });
    expect(expectation.assess(stepCase({}, { criteria: criteria.slice(0, 1) }))).toBe(FULL);
  });
});

describe('assumptions', () => {
  const assumption = {
    id: 'a1',
    statement: 'The order costs 42 euros',
    step: 's1',
    path: '/total_cents',
    equals: 4_200,
  };

  test('gives a full score if the assumption holds', () => {
    expect(assumptions.assess(stepCase({}, { assumptions: [assumption] }))).toBe(FULL);
  });

  test.each([
    ['another value', { output: { total_cents: 4_300 } }],
    ['no value at all', { output: {} }],
    ['nothing confirmed', { output: null }],
  ])('reports an assumption as disproved by %s', (_, over) => {
    expect(assumptions.assess(stepCase(over, { assumptions: [assumption] }))).toMatchObject({
      score: 0,
      findings: [{ kind: 'assumption_disproved', severity: 'high', detail: 'a1: The order costs 42 euros' }],
    });
  });

  test('ignores a failed step and assumptions about other steps', () => {
    expect(assumptions.assess(stepCase({ outcome: 'error', output: null }, { assumptions: [assumption] }))).toBe(FULL);
    expect(assumptions.assess(stepCase({ output: {} }, { assumptions: [{ ...assumption, step: 's2' }] }))).toBe(FULL);
  });
});

describe('sources', () => {
  const fact = {
    evidence_id: 'ev_1',
    source: 'ledger',
    trusted: true,
    type: 'order',
    subject: 'ord_881',
    path: '/total',
    value: 1,
    critical: true,
  };

  test("reports a contradiction without lowering the step's score", () => {
    const facts = [fact, { ...fact, evidence_id: 'ev_2', value: 2 }];
    expect(sources.assess(stepCase({}, { facts }))).toMatchObject({
      score: 1,
      findings: [{ kind: 'source_conflict', severity: 'high' }],
    });
    expect(sources.assess(stepCase({}, { facts: [fact, { ...fact, evidence_id: 'ev_2' }] }))).toBe(FULL);
  });
});

describe('evidence', () => {
  test('gives the share of needed evidence that is known', () => {
    expect(evidence.assess(stepCase({}, {}, { needed: ['order'] }))).toBe(FULL);
    expect(evidence.assess(stepCase({}, {}, { needed: ['order', 'policy'] }))).toEqual({
      score: 0.5,
      note: 'missing: policy',
    });
  });

  test('does not find a type such as constructor on the object prototype', () => {
    expect(evidence.assess(stepCase({}, {}, { needed: ['constructor'] })).score).toBe(0);
  });
});

describe('receipt', () => {
  test('requires a result from a step with a side effect', () => {
    expect(receipt.assess(refundCase())).toBe(FULL);
    for (const output of [null, {}, [], '']) expect(receipt.assess(refundCase({ output })).score).toBe(0);
  });

  test('ignores empty lookups and failed calls', () => {
    expect(receipt.assess(stepCase({ output: {} }))).toBe(FULL);
    expect(receipt.assess(refundCase({ outcome: 'timeout', output: null }))).toBe(FULL);
  });
});

describe('cost', () => {
  const spending = (spent: number, projected: number) =>
    cost.assess(stepCase({}, { spending: { spent: tokens(spent), projected: tokens(projected) } }));

  test('gives a full score within the projection', () => {
    expect(spending(100, 100)).toBe(FULL);
  });

  test('lowers the score in proportion to unprojected spending, by at most a tenth', () => {
    expect(spending(200, 100)).toEqual({ score: 0.95, note: 'input_tokens: 200 spent, 100 projected' });
    expect(spending(1_000_000, 0).score).toBe(0.9);
  });

  test.each(['input_tokens', 'output_tokens', 'microusd'] as const)('uses the worst dimension: %s', (worst) => {
    const projected = { input_tokens: 100, output_tokens: 110, microusd: 120 };
    const spent = { input_tokens: 200, output_tokens: 210, microusd: 220, [worst]: 400 };
    expect(cost.assess(stepCase({}, { spending: { spent, projected } })).note).toBe(
      `${worst}: 400 spent, ${projected[worst]} projected`,
    );
  });
});

describe('attention', () => {
  test('lowers the score of a step that needed a person, once for any number of gates', () => {
    expect(attention.assess(stepCase())).toBe(FULL);
    expect(attention.assess(refundCase())).toEqual({ score: 0.95, note: 'needed user_finance_lead' });
    expect(attention.assess(refundCase({}, { approvals: [approval(), approval()] })).score).toBe(0.95);
  });

  test('ignores approvals of other steps', () => {
    expect(attention.assess(stepCase({}, { approvals: [approval()] }))).toBe(FULL);
  });
});
