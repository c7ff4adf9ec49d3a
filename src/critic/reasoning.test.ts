/** Proves that who may answer is decided by the kind of work and its risk, whatever the model would prefer. */
import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/requirements/verifies.ts';
import { RISK_CLASSES } from '../model/risk.ts';
import { requiredReasoning, routeReasoning } from './reasoning.ts';

describe('who may answer', () => {
  test.each([
    ['drafting', 'direct'],
    ['summary_of_given', 'direct'],
    ['summary_with_retrieval', 'tool'],
    ['exact_calculation', 'tool'],
    ['current_fact', 'tool'],
    ['account_state', 'tool'],
    ['code_result', 'tool'],
    ['tool_result', 'tool'],
    ['high_stakes_advice', 'sources'],
  ])('%s: %s, at any risk', (task, route) => {
    expect(RISK_CLASSES.map((risk) => requiredReasoning(task, risk))).toEqual(RISK_CLASSES.map(() => route));
  });

  test('a rough estimate will do only where little hangs on it', () => {
    expect(RISK_CLASSES.map((risk) => requiredReasoning('rough_estimate', risk))).toEqual([
      'direct',
      'tool',
      'tool',
      'tool',
    ]);
  });

  verifies(
    'reasoning:decision:made-by-orchestrator',
    'what the model proposed is overridden by the rule, and a kind nobody listed needs a tool',
    () => {
      expect(routeReasoning('exact_calculation', 'moderate', 'direct')).toEqual({ route: 'tool', overridden: true });
      expect(routeReasoning('high_stakes_advice', 'high', 'direct')).toEqual({ route: 'sources', overridden: true });
      for (const task of ['palmistry', '', 'constructor', '__proto__']) {
        expect(routeReasoning(task, 'low', 'direct')).toEqual({ route: 'tool', overridden: true });
      }
      expect(routeReasoning('drafting', 'low', 'direct')).toEqual({ route: 'direct', overridden: false });
      expect(routeReasoning('drafting', 'low', 'tool')).toEqual({ route: 'direct', overridden: false });
    },
  );
});
