import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { Claim } from '../../../model/evidence/evidence.ts';
import { deepFreeze } from '../../../model/json/freeze.ts';
import { RISK_CLASSES } from '../../../model/policy/risk.ts';
import { checkClaims, type GroundingViolation, routeViolations } from './claims.ts';

const paid: Claim = { statement: 'The refund of 42.00 was issued.', observation: 'obs_refund' };
const sent: Claim = { statement: 'The customer was told by mail.', observation: 'obs_mail' };

describe('claims', () => {
  test('pass on committed observations', () => {
    expect(checkClaims(deepFreeze([paid]), new Set(['obs_refund']))).toEqual({ ok: true });
    expect(checkClaims([], new Set())).toEqual({ ok: true });
  });

  test('a claim without an observation is a violation with its index', () => {
    expect(checkClaims([paid, sent], new Set(['obs_refund']))).toEqual({
      ok: false,
      violations: [{ claim: 1, statement: sent.statement, observation: 'obs_mail', kind: 'not_observed' }],
    });
  });

  test('an empty observation id counts as none', () => {
    expect(checkClaims([{ statement: 'All is well.', observation: '' }], new Set(['obs_refund'])).ok).toBe(false);
  });

  test('only the disputed claim is a violation', () => {
    expect(checkClaims([paid, sent], new Set(['obs_refund', 'obs_mail']), new Set(['obs_mail']))).toEqual({
      ok: false,
      violations: [{ claim: 1, statement: sent.statement, observation: 'obs_mail', kind: 'disputed' }],
    });
  });

  const id = fc.constantFrom('a', 'b', 'c', 'd');
  const claims = fc.array(fc.record({ statement: fc.string(), observation: id }));
  test.prop([claims, fc.uniqueArray(id)])('pass exactly when every observation is committed', (list, ids) => {
    const ruling = checkClaims(list, new Set(ids));
    expect(ruling.ok).toBe(list.every((claim) => ids.includes(claim.observation)));
    expect(ruling.ok ? 0 : ruling.violations.length).toBe(
      list.filter((claim) => !ids.includes(claim.observation)).length,
    );
  });
});

describe('the route after a violation', () => {
  const violations: readonly GroundingViolation[] = [
    { claim: 0, statement: sent.statement, observation: 'obs_mail', kind: 'not_observed' },
  ];
  const halt = {
    kind: 'halt',
    stop: { code: 'VALIDATION_FAIL', reason: 'grounding_violation', detail: { statements: [sent.statement] } },
  };

  test('depends on the risk', () => {
    expect(RISK_CLASSES.map((risk) => [risk, routeViolations(violations, risk, 1)])).toEqual([
      ['low', { kind: 'repair' }],
      ['moderate', { kind: 'repair' }],
      ['high', halt],
      ['critical', halt],
    ]);
  });

  test('is a halt when no repair is left', () => {
    expect(routeViolations(violations, 'low', 0)).toEqual(halt);
  });
});
