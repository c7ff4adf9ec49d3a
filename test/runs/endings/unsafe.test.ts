/** A danger stops the run and reaches security; a suspicion is blocked and looked at. */
import { expect } from 'vitest';
import { judgeStep } from '../../../src/critic/judge.ts';
import { standardEvaluators } from '../../../src/critic/standard-evaluators.ts';
import type { FindingSeverity } from '../../../src/model/finding.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf } from '../rig.ts';
import { answered, eventsOf, proposed, type Turns, turns } from './turns.ts';

const ID = 'terminate:unsafe-detection:fail-closed';

/** A detector watches the calls of a run that sends something out, with more steps to come. */
function watched(severity: FindingSeverity): Turns {
  const exfiltration = {
    name: 'exfiltration',
    detect: ({ args }: { readonly args: object }) =>
      'secret' in args ? { severity, detail: 'a secret leaves the house' } : null,
  };
  const run = turns({
    tools: { send: {}, finish: { produces: ['done'] } },
    change: ({ critic, env }) => ({
      critic: { ...critic, judgeStep: (facts) => judgeStep(env.rubric, standardEvaluators([exfiltration]), facts) },
    }),
  });
  run.say(
    proposed(
      planOf([
        { id: 'a', tool: 'send', params: { secret: 'x' } },
        { id: 'b', tool: 'finish' },
      ]),
    ),
  );
  run.say(answered(run));
  return run;
}

verifies(ID, 'high: ended, nothing sent any more, security told', () => {
  const { state, outbox, events } = watched('high');
  expect(state.ending.terminal).toMatchObject({
    code: 'UNSAFE_DETECTION',
    detail: { step_id: 'a', findings: ['exfiltration: a secret leaves the house'] },
  });
  expect(outbox).toEqual([]);
  expect(state.counters.calls).toBe(1);
  expect(eventsOf(events, 'run_escalated')).toMatchObject([
    { escalation: { trigger: 'security_breach', severity: 'high', recipient: 'security', route: 'fail_closed' } },
  ]);
  expect(eventsOf(events, 'step_judged')).toMatchObject([{ findings: [{ kind: 'unsafe', severity: 'high' }] }]);
});

verifies(ID, 'low: blocked and on record, the run not closed', () => {
  const { state, outbox, events } = watched('low');
  expect(state.ending.terminal).toBeNull();
  expect(state.session).toMatchObject({ status: 'paused', pause: { authority: 'review_queue' } });
  expect(outbox).toEqual([]);
  expect(eventsOf(events, 'step_judged')).toMatchObject([{ findings: [{ kind: 'unsafe', severity: 'low' }] }]);
});
