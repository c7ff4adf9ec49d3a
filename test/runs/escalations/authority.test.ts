/** Whoever hands over says to whom, and a run that was handed over and given back is no failure. */
import { expect } from 'vitest';
import { ENDPOINTS } from '../../../src/model/escalation.ts';
import type { EventBody } from '../../../src/model/event.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, planOf } from '../rig.ts';

const ID = 'escalate:event:names-next-authority';

function handedOver(): Turns {
  const run = turns({
    tools: { read: { retries_max: 0, produces: ['done'] } },
    caps: { ...CAPS, replan_attempts_max: 0 },
  });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }])));
  run.say(answered(run, { outcome: 'error', raw: null }));
  return run;
}

verifies(ID, 'the event names who decides next', () => {
  const run = handedOver();
  const [event] = eventsOf(run.events, 'run_escalated');
  expect(ENDPOINTS).toContain(event?.escalation.recipient);
  expect(run.state.session.pause?.authority).toBe(event?.escalation.recipient);
});

verifies(ID, 'one that names nobody is refused', () => {
  const run = handedOver();
  const [event] = eventsOf(run.events, 'run_escalated');
  if (event === undefined) throw new Error('not escalated');
  for (const recipient of ['', 'somebody', undefined]) {
    const anonymous = { type: 'run_escalated', escalation: { ...event.escalation, recipient }, stop: event.stop };
    expect(run.refusal(anonymous as EventBody).code).toBe('escalation_invalid');
  }
});

verifies(ID, 'a boundary that leaves nobody to turn to is no boundary', () => {
  const alone = (): Turns =>
    turns({ agent: (agent) => ({ ...agent, boundary: { ...agent.boundary, escalation_paths: [] } }) });
  expect(alone).toThrow('must name somebody who can be handed authority');
});

verifies(ID, 'handed over, given back, finished: SUCCESS', () => {
  const run = handedOver();
  run.say({ type: 'escalation_decided', decision: 'continue', by: 'op_1', reason: 'it is up again' });
  run.say(answered(run));
  expect(run.state.ending.terminal).toMatchObject({ code: 'SUCCESS' });
  expect(run.state.session.status).toBe('completed');
});
