/** Proves each run evaluator on its own. */
import { describe, expect, test } from 'vitest';
import { runCase } from '../../../test/critic/cases.ts';
import { FULL } from '../assessment.ts';
import { goal } from './goal.ts';
import { grounding } from './grounding.ts';
import { sources } from './sources.ts';
import { steps } from './steps.ts';

describe('goal', () => {
  const criterion = (id: string, rank: 'primary' | 'secondary') => ({ id, statement: id, rank, evidence: id });

  test('the share of primary criteria that evidence shows', () => {
    expect(goal.assess(runCase())).toBe(FULL);
    const criteria = [criterion('refund', 'primary'), criterion('receipt', 'primary')];
    expect(goal.assess(runCase({ criteria }))).toEqual({ score: 0.5, note: 'not met: receipt' });
  });

  test('secondary criteria take nothing away', () => {
    expect(goal.assess(runCase({ criteria: [criterion('refund', 'primary'), criterion('mail', 'secondary')] }))).toBe(
      FULL,
    );
  });

  test('a goal that nothing could show is not reached', () => {
    expect(goal.assess(runCase({ criteria: [] })).score).toBe(0);
  });

  test('a criterion without a type is shown by evidence made for it', () => {
    const criteria = [{ id: 'polite', statement: 'The answer is polite', rank: 'primary' as const }];
    expect(goal.assess(runCase({ criteria })).score).toBe(0);
    expect(goal.assess(runCase({ criteria, evidence: { polite: 'ev_9' } }))).toBe(FULL);
  });
});

describe('steps', () => {
  const scored = (...utilities: number[]) =>
    utilities.map((utility, at) => ({ step_id: `s${at}`, scores: { utility } }));

  test('the average of what the steps were worth', () => {
    expect(steps.assess(runCase({ steps: scored(1, 0.5) })).score).toBe(0.75);
    expect(steps.assess(runCase({ steps: [] }))).toBe(FULL);
  });

  test('a step that nobody scored was worth nothing', () => {
    const mixed = [...scored(1), { step_id: 's9', scores: { policy: 1 } }];
    expect(steps.assess(runCase({ steps: mixed })).score).toBe(0.5);
  });
});

describe('grounding', () => {
  const claims = (observation: string | null, task?: string) => [
    { statement: 'It is so', observation, ...(task === undefined ? {} : { task }) },
  ];

  test('a claim with a committed observation stands', () => {
    expect(grounding.assess(runCase({ claims: claims('ev_3') }))).toBe(FULL);
  });

  test.each([
    'exact_calculation',
    'current_fact',
    'account_state',
    'code_result',
    'tool_result',
    'high_stakes_advice',
    'palmistry',
  ])('a claim of kind %s without an observation is a violation', (task) => {
    expect(grounding.assess(runCase({ claims: claims(null, task) }))).toMatchObject({
      score: 0,
      findings: [{ kind: 'grounding_violation', severity: 'high', detail: 'nothing observed shows: It is so' }],
    });
  });

  test('a draft may be written without one; a reference that leads nowhere is never allowed', () => {
    expect(grounding.assess(runCase({ claims: claims(null, 'drafting') }))).toBe(FULL);
    expect(grounding.assess(runCase({ claims: claims('ev_404', 'drafting') })).score).toBe(0);
    expect(grounding.assess(runCase({ claims: claims(null) })).score).toBe(0);
  });

  test('an estimate is good enough only while little hangs on it', () => {
    expect(grounding.assess(runCase({ claims: claims(null, 'rough_estimate') }))).toBe(FULL);
    expect(grounding.assess(runCase({ risk: 'moderate', claims: claims(null, 'rough_estimate') })).score).toBe(0);
  });

  test('every violation is reported', () => {
    expect(grounding.assess(runCase({ claims: [...claims(null), ...claims(null)] })).findings).toHaveLength(2);
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
    critical: false,
  };
  const disagreeing = (critical: boolean) =>
    runCase({ facts: [fact, { ...fact, evidence_id: 'ev_2', value: 2, critical }] });

  test('a contradiction the goal hangs on leaves nothing to accept', () => {
    expect(sources.assess(disagreeing(true))).toMatchObject({ score: 0, findings: [{ severity: 'high' }] });
  });

  test('any other is noted', () => {
    expect(sources.assess(disagreeing(false))).toMatchObject({ score: 1, findings: [{ severity: 'low' }] });
    expect(sources.assess(runCase())).toBe(FULL);
  });
});
