/** The kind of task and its risk determine how it must be answered. */
import { describe, expect, test } from 'vitest';
import { RISK_CLASSES } from '../policy/risk.ts';
import { requiredReasoning } from './reasoning.ts';

describe('required reasoning', () => {
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

  test('a model may give a rough estimate only at low risk', () => {
    expect(RISK_CLASSES.map((risk) => requiredReasoning('rough_estimate', risk))).toEqual([
      'direct',
      'tool',
      'tool',
      'tool',
    ]);
  });

  test('an unlisted kind of task needs a tool', () => {
    for (const task of ['palmistry', '', 'constructor', '__proto__']) {
      expect(requiredReasoning(task, 'low')).toBe('tool');
    }
  });
});
