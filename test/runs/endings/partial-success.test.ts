/** Tests that a run that meets its goal but not every optional step ends with PARTIAL_SUCCESS and a list. */
import { expect, test } from 'vitest';
import { NO_ESTIMATE } from '../../../src/kernel/budget/estimate.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, neverAnswers, planOf, type Rig, rig } from '../rig.ts';

const ID = 'terminate:partial-success:disclose-unresolved';

const CUSTOMER_INFORMED = {
  id: 'customer_told',
  statement: 'The customer is told.',
  rank: 'secondary',
  evidence: 'told',
} as const;

const bench = (main: 'works' | 'hangs', plans: number): Rig =>
  rig({
    tools: {
      main: { produces: ['done'], retries_max: 0, ...(main === 'hangs' ? { execute: neverAnswers } : {}) },
      notify: { produces: ['told'], retries_max: 1, execute: neverAnswers, timeout_ms: 1_000 },
      log: {},
    },
    plans: Array.from({ length: plans }, (_, n) =>
      planOf(
        [
          { id: 'main', tool: 'main', params: { n } },
          { id: 'notify', tool: 'notify', depends_on: ['main'], optional: true },
          { id: 'log', tool: 'log', depends_on: ['notify'], optional: true },
        ],
        { plan_id: `plan_${n}` },
      ),
    ),
    agent: (agent) => ({
      ...agent,
      intents: agent.intents.map((intent) => ({
        ...intent,
        criteria: [...(intent.criteria ?? []), CUSTOMER_INFORMED],
      })),
    }),
    caps: { ...CAPS, replan_attempts_max: 0 },
  });

verifies(ID, 'lists the failed optional step, its dependents and the unmet criterion', async () => {
  const notified = bench('works', 1);
  const outcome = await notified.invoke();
  expect(outcome).toMatchObject({ status: 'completed', terminalCode: 'PARTIAL_SUCCESS', text: 'The work is done.' });
  expect((await notified.events(outcome.runId)).at(-1)).toMatchObject({
    detail: { unresolved: ['notify', 'log', 'customer_told'] },
  });
  expect(notified.dispatches.map(({ tool }) => tool)).toEqual(['main', 'notify', 'notify']);
});

verifies(ID, 'an unmet primary goal is no partial success', async () => {
  const outcome = await bench('hangs', 1).invoke();
  expect(outcome.terminalCode).not.toBe('PARTIAL_SUCCESS');
  expect(outcome).toMatchObject({ status: 'paused', suspended: { code: 'REPEATED_FAILURE' } });
});

test('skips the failed step and its dependents, and releases their estimate', async () => {
  const notified = bench('works', 1);
  const { state } = await notified.runtime.records.replay((await notified.invoke()).runId);
  expect(state.work.cursor).toBe(3);
  expect(state.work.estimate).toEqual(NO_ESTIMATE);
});
