/** A low-confidence score allows one reflection. If the score stays low, the run is escalated. */
import { expect, test } from 'vitest';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, planOf } from '../rig.ts';

/** A run whose steps have these utilities in order. Steps are tried again after a reflection. */
function runScoring(...utilities: readonly number[]): Turns {
  const left = [...utilities];
  const run = turns({
    tools: { read: { produces: ['done'] } },
    // More passes than one are paid for, so that only the rule on low confidence limits them.
    caps: { ...CAPS, reflection_passes_max: 3 },
    change: ({ critic, env }) => ({
      env: { ...env, rubric: { ...env.rubric, accept: 0.6, confidence: 0.6 } },
      critic: {
        ...critic,
        judgeStep: (facts) => ({ ...critic.judgeStep(facts), scores: { policy: 1, utility: left.shift() ?? 0 } }),
        judgeRun: (facts) => ({ ...critic.judgeRun(facts), scores: { policy: 1, utility: 1 } }),
      },
    }),
  });
  utilities.forEach((_, n) => {
    run.say(proposed(planOf([{ id: `s${n}`, tool: 'read', params: { n } }], { plan_id: `plan_${n}` })));
    run.say(answered(run));
    if (run.outbox.some(({ kind }) => kind === 'reflect')) {
      run.say({ type: 'reflection_made', trigger: 'low_confidence', note: 'look again', spent: NO_COST });
    }
  });
  return run;
}

test('escalates at 0.59 of 0.6, passes at 0.60', () => {
  expect(runScoring(0.6).state.ending.terminal).toMatchObject({ code: 'SUCCESS' });
  const low = runScoring(0.59, 0.59);
  expect(low.state.people.escalation?.stop.code).toBe('LOW_CONFIDENCE');
  expect(low.state.session).toMatchObject({ status: 'paused', pause: { authority: 'review_queue' } });
});

verifies(
  'reflection:low-confidence:one-pass-then-escalate',
  'makes one pass, then pauses and names the unmet score',
  () => {
    const run = runScoring(0.5, 0.4);
    expect(eventsOf(run.events, 'reflection_made')).toHaveLength(1);
    expect(run.state.budget?.used.reflection_passes).toBe(1);
    expect(run.outbox).toEqual([]);
    expect(eventsOf(run.events, 'run_escalated')).toMatchObject([
      {
        escalation: { trigger: 'low_confidence' },
        stop: { code: 'LOW_CONFIDENCE', detail: { unmet: { utility: 0.4 } } },
      },
    ]);
    const { version } = run.state.work;
    expect(run.refusal(answered(run)).code).toBe('illegal_grounding_transition');
    expect(run.refusal(proposed(planOf([]))).code).toBe('event_illegal');
    expect(run.state.work.version).toBe(version);
  },
);

verifies('reflection:low-confidence:one-pass-then-escalate', 'continues if the second score is high enough', () => {
  const run = runScoring(0.5, 0.9);
  expect(run.state.ending.terminal).toMatchObject({ code: 'SUCCESS' });
  expect(run.state.budget?.used.reflection_passes).toBe(1);
});
