/** Tests each run evaluator on its own. */
import { describe, expect, test } from 'vitest';
import { runCase } from '../../../test/critic/cases.ts';
import { FULL } from '../evaluators/evaluator.ts';
import { goal } from './goal.ts';
import { runGrounding } from './grounding.ts';
import { runSources } from './sources.ts';
import { steps } from './steps.ts';

describe('goal', () => {
  const criterion = (id: string, rank: 'primary' | 'secondary') => ({ id, statement: id, rank, evidence: id });

  test('gives the share of primary criteria that are met by evidence', () => {
    expect(goal.assess(runCase())).toBe(FULL);
    const criteria = [criterion('refund', 'primary'), criterion('receipt', 'primary')];
    expect(goal.assess(runCase({ criteria }))).toEqual({ score: 0.5, note: 'not met: receipt' });
  });

  test('ignores secondary criteria', () => {
    expect(goal.assess(runCase({ criteria: [criterion('refund', 'primary'), criterion('mail', 'secondary')] }))).toBe(
      FULL,
    );
  });

  test('gives 0 if the goal has no primary criterion', () => {
    expect(goal.assess(runCase({ criteria: [] })).score).toBe(0);
  });

  test('meets a criterion without a type by evidence made for it', () => {
    const criteria = [{ id: 'polite', statement: 'The answer is polite', rank: 'primary' as const }];
    expect(goal.assess(runCase({ criteria })).score).toBe(0);
    expect(goal.assess(runCase({ criteria, evidence: { polite: 'ev_9' } }))).toBe(FULL);
  });
});

describe('steps', () => {
  const scored = (...utilities: number[]) =>
    utilities.map((utility, at) => ({ step_id: `s${at}`, scores: { utility } }));

  test('gives the average utility of the steps', () => {
    expect(steps.assess(runCase({ steps: scored(1, 0.5) })).score).toBe(0.75);
    expect(steps.assess(runCase({ steps: [] }))).toBe(FULL);
  });

  test('counts a step without a score as 0', () => {
    const mixed = [...scored(1), { step_id: 's9', scores: { policy: 1 } }];
    expect(steps.assess(runCase({ steps: mixed })).score).toBe(0.5);
  });
});

describe('grounding', () => {
  const claims = (observation: string | null, task?: string) => [
    { statement: 'It is so', observation, ...(task === undefined ? {} : { task }) },
  ];

  test('accepts a claim with a committed observation', () => {
    expect(runGrounding.assess(runCase({ claims: claims('ev_3') }))).toBe(FULL);
  });

  test.each([
    'exact_calculation',
    'current_fact',
    'account_state',
    'code_result',
    'tool_result',
    'high_stakes_advice',
    'palmistry',
  ])('rejects a claim of kind %s without an observation', (task) => {
    expect(runGrounding.assess(runCase({ claims: claims(null, task) }))).toMatchObject({
      score: 0,
      findings: [{ kind: 'grounding_violation', severity: 'high', detail: 'nothing observed shows: It is so' }],
    });
  });

  test('accepts a draft without an observation, but never an unknown reference', () => {
    expect(runGrounding.assess(runCase({ claims: claims(null, 'drafting') }))).toBe(FULL);
    expect(runGrounding.assess(runCase({ claims: claims('ev_404', 'drafting') })).score).toBe(0);
    expect(runGrounding.assess(runCase({ claims: claims(null) })).score).toBe(0);
  });

  test('accepts an estimate at low risk only', () => {
    expect(runGrounding.assess(runCase({ claims: claims(null, 'rough_estimate') }))).toBe(FULL);
    expect(runGrounding.assess(runCase({ risk: 'moderate', claims: claims(null, 'rough_estimate') })).score).toBe(0);
  });

  test('reports every violation', () => {
    expect(runGrounding.assess(runCase({ claims: [...claims(null), ...claims(null)] })).findings).toHaveLength(2);
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

  test('gives 0 for a contradiction that the goal depends on', () => {
    expect(runSources.assess(disagreeing(true))).toMatchObject({ score: 0, findings: [{ severity: 'high' }] });
  });

  test('only reports any other contradiction', () => {
    expect(runSources.assess(disagreeing(false))).toMatchObject({ score: 1, findings: [{ severity: 'low' }] });
    expect(runSources.assess(runCase())).toBe(FULL);
  });
});
