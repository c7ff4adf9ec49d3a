/** The goal is reached and something beside it is not: said so, with a list. */
import { expect, test } from 'vitest';
import { NO_ESTIMATE } from '../../../src/kernel/estimate.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type Rig, rig, silent } from '../rig.ts';

const ID = 'terminate:partial-success:disclose-unresolved';

const TOLD = { id: 'customer_told', statement: 'The customer is told.', rank: 'secondary', evidence: 'told' } as const;

const bench = (main: 'works' | 'hangs', plans: number): Rig =>
  rig({
    tools: {
      main: { produces: ['done'], retries_max: 0, ...(main === 'hangs' ? { execute: silent } : {}) },
      notify: { produces: ['told'], retries_max: 1, execute: silent, timeout_ms: 1_000 },
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
      intents: agent.intents.map((intent) => ({ ...intent, criteria: [...(intent.criteria ?? []), TOLD] })),
    }),
    caps: { ...CAPS, replan_attempts_max: 0 },
  });

verifies(ID, 'what was left undone is named, with what depended on it', async () => {
  const notified = bench('works', 1);
  const outcome = await notified.invoke();
  expect(outcome).toMatchObject({ status: 'completed', terminalCode: 'PARTIAL_SUCCESS', answer: 'The work is done.' });
  expect((await notified.events(outcome.runId)).at(-1)).toMatchObject({
    detail: { unresolved: ['notify', 'log', 'customer_told'] },
  });
  expect(notified.dispatches.map(({ tool }) => tool)).toEqual(['main', 'notify', 'notify']);
});

verifies(ID, 'the primary goal unmet is no partial success', async () => {
  const outcome = await bench('hangs', 1).invoke();
  expect(outcome.terminalCode).not.toBe('PARTIAL_SUCCESS');
  expect(outcome).toMatchObject({ status: 'paused', suspended: { code: 'REPEATED_FAILURE' } });
});

test('what failed and what depended on it are behind the run, and no more is set aside for them', async () => {
  const notified = bench('works', 1);
  const { state } = await notified.runtime.replay((await notified.invoke()).runId);
  expect(state.work.cursor).toBe(3);
  expect(state.work.estimate).toEqual(NO_ESTIMATE);
});
