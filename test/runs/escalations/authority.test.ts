/** Every escalation names its recipient, and a run that continues after an escalation can succeed. */
import { expect } from 'vitest';
import type { EventBody } from '../../../src/model/events/event.ts';
import { ENDPOINTS } from '../../../src/model/gate/escalation.ts';
import { verifies } from '../../requirements/verifies.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, planOf } from '../rig.ts';

const ID = 'escalate:event:names-next-authority';

function escalatedRun(): Turns {
  const run = turns({
    tools: { read: { retries_max: 0, produces: ['done'] } },
    caps: { ...CAPS, replan_attempts_max: 0 },
  });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }])));
  run.say(answered(run, { outcome: 'error', raw: null }));
  return run;
}

verifies(ID, 'the event names who decides next', () => {
  const run = escalatedRun();
  const [event] = eventsOf(run.events, 'run_escalated');
  expect(ENDPOINTS).toContain(event?.escalation.recipient);
  expect(run.state.session.pause?.authority).toBe(event?.escalation.recipient);
});

verifies(ID, 'rejects an escalation without a valid recipient', () => {
  const run = escalatedRun();
  const [event] = eventsOf(run.events, 'run_escalated');
  if (event === undefined) throw new Error('not escalated');
  for (const recipient of ['', 'somebody', undefined]) {
    const anonymous = { type: 'run_escalated', escalation: { ...event.escalation, recipient }, stop: event.stop };
    expect(run.refusal(anonymous as EventBody).code).toBe('escalation_invalid');
  }
});

verifies(ID, 'rejects a boundary without escalation paths', () => {
  const alone = (): Turns =>
    turns({ agent: (agent) => ({ ...agent, boundary: { ...agent.boundary, escalation_paths: [] } }) });
  expect(alone).toThrow('must name at least one endpoint that can take over');
});

verifies(ID, 'ends with SUCCESS after an operator continues the run', () => {
  const run = escalatedRun();
  run.say({ type: 'escalation_decided', decision: 'continue', by: 'op_1', reason: 'it is up again' });
  run.say(answered(run));
  expect(run.state.ending.terminal).toMatchObject({ code: 'SUCCESS' });
  expect(run.state.session.status).toBe('completed');
});
