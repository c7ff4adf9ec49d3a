/** The order in which the boundary rules on a call: refuse, require approval, permit. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { APPROVAL_MODES, compareModes } from '../../model/gate/approval-mode.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import type { ToolBounds } from '../../model/policy/boundary.ts';
import { RISK_CLASSES } from '../../model/policy/risk.ts';
import { type CallFacts, ruleOnCall } from './risk.ts';

const bounds: ToolBounds = deepFreeze({
  allowed: ['docs.search', 'payments.refund'],
  needs_approval: ['docs.search'],
  mode_max: 'network',
  risk_max: 'high',
  untrusted_arguments: 'refused',
});
const refund: CallFacts = { tool: 'payments.refund', mode: 'network', risk: 'high' };

describe('the ruling on a call', () => {
  test('permits a call within the bounds, and gates a tool that needs approval', () => {
    expect(ruleOnCall(bounds, refund)).toEqual({ ok: true, gates: [] });
    const search: CallFacts = { tool: 'docs.search', mode: 'read_only', risk: 'low' };
    expect(ruleOnCall(bounds, search)).toEqual({ ok: true, gates: ['GATE_BOUNDARY_APPROVAL'] });
  });

  test.each<[string, Partial<CallFacts>, object]>([
    ['a tool outside the list', { tool: 'payments.charge' }, { layer: 'permission', code: 'tool_not_allowed' }],
    ['a mode above the bound', { mode: 'destructive' }, { layer: 'risk', code: 'approval_authority_exceeded' }],
    ['a risk above the bound', { risk: 'critical' }, { layer: 'risk', code: 'risk_max_exceeded' }],
    [
      'a risk above the bound, even for a tool with approval',
      { tool: 'docs.search', risk: 'critical' },
      { code: 'risk_max_exceeded' },
    ],
  ])('refuses %s', (_, change, because) => {
    expect(ruleOnCall(bounds, { ...refund, ...change })).toMatchObject({ ok: false, ...because });
  });

  const call: fc.Arbitrary<CallFacts> = fc.record({
    tool: fc.constantFrom('docs.search', 'payments.refund', 'payments.charge', 'toString'),
    mode: fc.constantFrom(...APPROVAL_MODES),
    risk: fc.constantFrom(...RISK_CLASSES),
  });
  test.prop([call])('permits no call that exceeds any bound', (facts) => {
    if (!ruleOnCall(bounds, deepFreeze(facts)).ok) return;
    expect(bounds.allowed).toContain(facts.tool);
    expect(compareModes(facts.mode, bounds.mode_max)).toBeLessThanOrEqual(0);
    expect(facts.risk).not.toBe('critical');
  });
});
