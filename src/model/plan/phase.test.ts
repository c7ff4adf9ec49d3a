import { expect, test } from 'vitest';
import { PHASE_ARTIFACTS, PHASES } from './phase.ts';

test('there are eighteen phases, from goal intake to trace logging, each with its own artifact', () => {
  expect(PHASES).toHaveLength(18);
  expect(PHASES.map(({ artifact }) => artifact)).toEqual([...PHASE_ARTIFACTS]);
  expect(new Set(PHASES.map(({ name }) => name)).size).toBe(18);
  expect(new Set(PHASE_ARTIFACTS).size).toBe(18);
});

test.each([
  [1, 'goal_intake', 'goal_object'],
  [2, 'scope_resolution', 'security_token'],
  [6, 'budget_assign', 'budget_token'],
  [9, 'tool_invocation', 'raw_payload'],
  [12, 'validation_check', 'score_card'],
  [14, 'termination_check', 'stop_or_continue'],
  [15, 'escalation_check', 'escalation_payload'],
  [18, 'trace_logging', 'trace_archive'],
])('phase %i is %s and produces the %s', (number, name, artifact) => {
  expect(PHASES[number - 1]).toMatchObject({ name, artifact });
});

test('only the action cycle, phases 7 to 14, is repeatable', () => {
  const repeatable = PHASES.flatMap((phase, index) => (phase.repeatable ? [index + 1] : []));
  expect(repeatable).toEqual([7, 8, 9, 10, 11, 12, 13, 14]);
});
