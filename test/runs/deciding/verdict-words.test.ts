/** There are exactly four verdicts on work. */
import { expect, test } from 'vitest';
import { CAPS, planOf, rig } from '../rig.ts';

test('a run records the verdicts it received', async () => {
  const bench = rig({
    tools: {
      read: {},
      post: {
        retries_max: 1,
        execute: () => {
          throw new Error('down');
        },
      },
    },
    plans: [1, 2].map((n) =>
      planOf(
        [
          { id: 's1', tool: 'read' },
          { id: 's2', tool: 'post', params: { n }, depends_on: ['s1'] },
        ],
        { plan_id: `plan_${n}` },
      ),
    ),
    caps: { ...CAPS, replan_attempts_max: 1 },
  });
  const { runId } = await bench.invoke();
  const { turns } = await bench.runtime.records.replay(runId);
  const saved = turns.flatMap(({ blobs }) => blobs.map(({ text }) => JSON.parse(text)));
  const verdicts = saved.flatMap(({ critic_verdict }) => critic_verdict ?? []);
  expect(verdicts).toEqual(['ok', 'accept', 'retry', 'replan', 'ok', 'retry', 'escalate']);
});
