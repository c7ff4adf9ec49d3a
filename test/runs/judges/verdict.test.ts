/** There are four verdicts. What wants a fifth is refused, and what wants one of the four is heard. */
import { expect, test } from 'vitest';
import type { StepCase } from '../../../src/critic/evaluator.ts';
import { evaluatorTable } from '../../../src/critic/evaluator-table.ts';
import { judgeStep } from '../../../src/critic/judge.ts';
import { STEP_VERDICTS } from '../../../src/model/verdict.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { CAPS, type Rig } from '../rig.ts';
import { again, judged } from './bench.ts';

const RUBRIC = { name: 'short', version: '1', evaluators: ['taste@1'], accept: 0.7, floors: {}, confidence: 0.6 };
const CASE = {
  outcome: 'error',
  problems: [],
  support: { criteria: [], evidence: { known: {} } },
} as unknown as StepCase;

const wanting = (verdict: unknown) =>
  evaluatorTable([{ name: 'taste', version: '1', assess: () => ({ score: 1, verdict: verdict as never }) }], []);

/** A judge that is content with everything and wants this done, and then nothing more. */
const run = (verdict: string): Rig =>
  judged(
    [
      {
        says: [
          { criteria: { quality: 1 }, verdict, reason: 'I say so' },
          { criteria: { quality: 1 }, reason: '' },
        ],
      },
    ],
    {
      plans: again(2),
    },
  );

verifies(
  'decide:verdict:closed-set',
  "a verdict is one of four: 'maybe' is refused, the four are passed on",
  async () => {
    for (const word of ['maybe', 'ok', 'ACCEPT', '', 1, null, { verdict: 'accept' }]) {
      expect(() => judgeStep(RUBRIC, wanting(word), CASE)).toThrow(
        expect.objectContaining({ code: 'verdict_invalid' }),
      );
    }
    for (const word of STEP_VERDICTS) expect(judgeStep(RUBRIC, wanting(word), CASE).verdict).toBe(word);

    const seen: [string, string | null, number][] = [];
    for (const word of STEP_VERDICTS) {
      const bench = run(word);
      const { runId, terminalCode, verdict } = await bench.invoke();
      const all = await bench.events(runId);
      expect(eventsOf(all, 'step_judged')[0]?.verdict).toBe(word);
      seen.push([verdict?.verdict ?? '', terminalCode, bench.dispatches.length]);
    }
    expect(seen).toEqual([
      ['accept', 'SUCCESS', 1],
      ['accept', 'SUCCESS', 2],
      ['accept', 'SUCCESS', 2],
      ['escalate', null, 1],
    ]);
  },
);

test('a judge that wants maybe has said nothing that can be read', async () => {
  const bench = run('maybe');
  const { runId } = await bench.invoke();
  const [step] = eventsOf(await bench.events(runId), 'step_judged');
  expect(step).toMatchObject({ scores: { judges: 0 }, findings: [{ kind: 'low_confidence' }] });
  expect(step).not.toHaveProperty('verdict');
});

test('a judge that would accept what the scores do not, accepts nothing', async () => {
  const says = [{ criteria: { quality: 0.2 }, verdict: 'accept', reason: 'fine by me' }];
  const bench = judged([{ says }], {
    options: { limits: { onEscalate: 'end' } },
    caps: { ...CAPS, reflection_passes_max: 0 },
  });
  expect((await bench.invoke()).terminalCode).toBe('LOW_CONFIDENCE');
});
