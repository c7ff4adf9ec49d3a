/** Proves that who may answer is decided by the kind of work and its risk. */
import { describe, expect, test } from 'vitest';
import { requiredReasoning } from './reasoning.ts';
import { RISK_CLASSES } from './risk.ts';

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

  test('a kind nobody listed needs a tool', () => {
    for (const task of ['palmistry', '', 'constructor', '__proto__']) {
      expect(requiredReasoning(task, 'low')).toBe('tool');
    }
  });
});
