/** There are four verdicts on work, and a run knows no fifth. */
import { expect } from 'vitest';
import { parseJudgeAnswer } from '../../../src/critic/judge-answer.ts';
import { STEP_VERDICTS } from '../../../src/model/verdict.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, rig } from '../rig.ts';

verifies('decide:verdict:closed-set', 'a judge may say one of the four and nothing else', () => {
  for (const verdict of STEP_VERDICTS) {
    expect(parseJudgeAnswer(JSON.stringify({ verdict, scores: { utility: 0.5 } })).verdict).toBe(verdict);
  }
  for (const verdict of ['maybe', 'ACCEPT', '', 'ok', 'reject', 7, ['accept'], {}]) {
    const answer = JSON.stringify({ verdict, scores: { utility: 0.5 } });
    expect(() => parseJudgeAnswer(answer)).toThrow(expect.objectContaining({ code: 'verdict_invalid' }));
  }
});

verifies('decide:verdict:closed-set', 'each of the four comes out of a run as it went in', async () => {
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
  const { turns } = await bench.runtime.replay(runId);
  const saved = turns.flatMap(({ blobs }) => blobs.map(({ text }) => JSON.parse(text)));
  const verdicts = saved.flatMap(({ critic_verdict }) => critic_verdict ?? []);
  expect(verdicts).toEqual(['ok', 'accept', 'retry', 'replan', 'ok', 'retry', 'escalate']);
});
