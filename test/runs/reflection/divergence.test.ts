/** A result that contradicts the goal is escalated without a reflection. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { answered, eventsOf, proposed, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';

verifies('reflection:divergence:no-reflection-force-escalation', 'escalates at once, with the drift', () => {
  const drift = 'the account was closed, and the goal was to keep it open';
  const run = turns({
    tools: { act: {}, finish: { produces: ['done'] } },
    change: ({ critic }) => ({
      critic: {
        ...critic,
        judgeStep: (facts) => {
          const judged = critic.judgeStep(facts);
          return { ...judged, findings: [{ kind: 'goal_divergence', severity: 'high', detail: drift }] };
        },
      },
    }),
  });
  run.say(
    proposed(
      planOf([
        { id: 'a', tool: 'act' },
        { id: 'b', tool: 'finish' },
      ]),
    ),
  );
  run.say(answered(run));
  expect(run.outbox).toEqual([]);
  expect(run.state.counters).toMatchObject({ calls: 1, reflections: {} });
  expect(run.state.budget?.used.reflection_passes).toBe(0);
  expect(eventsOf(run.events, 'run_escalated')).toMatchObject([
    {
      escalation: { trigger: 'plan_divergence', recipient: 'user' },
      stop: { code: 'REVIEW_REQUIRED', reason: 'goal_divergence', detail: { goal: 'Do the work', drift: [drift] } },
    },
  ]);
  expect(run.state.session.status).toBe('paused');
});
