/** There are four verdicts. Any other is rejected; the four are applied. */
import { expect, test } from 'vitest';
import { evaluatorTable } from '../../../src/critic/evaluators/evaluator.ts';
import { scoreStep } from '../../../src/critic/judge.ts';
import type { StepCase } from '../../../src/model/critic/judged-case.ts';
import { STEP_VERDICTS } from '../../../src/model/critic/verdict.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { CAPS, type Rig } from '../rig.ts';
import { judgedRig, repeatPlan } from './bench.ts';

const RUBRIC = { name: 'short', version: '1', evaluators: ['taste@1'], accept: 0.7, floors: {}, confidence: 0.6 };
const CASE = {
  outcome: 'error',
  problems: [],
  support: { criteria: [], evidence: { known: {} } },
} as unknown as StepCase;

const evaluatorsWanting = (verdict: unknown) =>
  evaluatorTable([{ name: 'taste', version: '1', assess: () => ({ score: 1, verdict: verdict as never }) }], []);

/** A judge that gives the top score and asks for `verdict` once. */
const rigJudging = (verdict: string): Rig =>
  judgedRig(
    [
      {
        says: [
          { criteria: { quality: 1 }, verdict, reason: 'I say so' },
          { criteria: { quality: 1 }, reason: '' },
        ],
      },
    ],
    {
      plans: repeatPlan(2),
    },
  );

verifies('decide:verdict:closed-set', "rejects 'maybe' and applies each of the four verdicts", async () => {
  for (const word of ['maybe', 'ok', 'ACCEPT', '', 1, null, { verdict: 'accept' }]) {
    expect(() => scoreStep(RUBRIC, evaluatorsWanting(word), CASE)).toThrow(
      expect.objectContaining({ code: 'verdict_invalid' }),
    );
  }
  for (const word of STEP_VERDICTS) expect(scoreStep(RUBRIC, evaluatorsWanting(word), CASE).verdict).toBe(word);

  const seen: [string, string | null, number][] = [];
  for (const word of STEP_VERDICTS) {
    const bench = rigJudging(word);
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
});

test("treats a judge's verdict 'maybe' as unreadable", async () => {
  const bench = rigJudging('maybe');
  const { runId } = await bench.invoke();
  const [step] = eventsOf(await bench.events(runId), 'step_judged');
  expect(step).toMatchObject({ scores: { judges: 0 }, findings: [{ kind: 'low_confidence' }] });
  expect(step).not.toHaveProperty('verdict');
});

test('a judge cannot accept work that scores too low', async () => {
  const says = [{ criteria: { quality: 0.2 }, verdict: 'accept', reason: 'fine by me' }];
  const bench = judgedRig([{ says }], {
    options: { limits: { onEscalate: 'end' } },
    caps: { ...CAPS, reflection_passes_max: 0 },
  });
  expect((await bench.invoke()).terminalCode).toBe('LOW_CONFIDENCE');
});
