/** The trigger of an escalation selects its recipient. */
import { expect } from 'vitest';
import { Fault } from '../../../src/model/fault/fault.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { CAPS, planOf, type RigOptions, rig } from '../rig.ts';

const FINISH = { finish: { produces: ['done'] } };
const ONE = planOf([{ id: 'a', tool: 'finish' }]);

const BREACH: RigOptions = {
  tools: FINISH,
  plans: [ONE],
  world: {
    policy: {
      detectors: [
        { name: 'leak', version: '1', detect: () => ({ severity: 'high', detail: 'a secret leaves the house' }) },
      ],
    },
  },
};

const OUTAGE: RigOptions = {
  tools: FINISH,
  plans: [new Fault('planner_failed', 'the provider is down')],
  caps: { ...CAPS, replan_attempts_max: 0 },
};

const REGULATED: RigOptions = {
  tools: FINISH,
  plans: [ONE],
  agent: (agent) => ({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, regulated: true })) }),
};

/** The same payment twice in one plan: the workflow owner has to say which was meant. */
const ISSUE: RigOptions = {
  tools: { pay: { approval_mode: 'local_write', side_effect: true, idempotency: { kind: 'none' } }, ...FINISH },
  plans: [
    planOf([
      { id: 'a', tool: 'pay', params: { cents: 1200 } },
      { id: 'b', tool: 'pay', params: { cents: 1200 }, depends_on: ['a'] },
      { id: 'c', tool: 'finish', depends_on: ['b'] },
    ]),
  ],
};

verifies(
  'boundary:escalation:severity-selects-pager-target',
  'escalates to security, SRE, compliance or the workflow owner, and records it',
  async () => {
    const escalated: unknown[] = [];
    for (const situation of [BREACH, OUTAGE, REGULATED, ISSUE]) {
      const bench = rig(situation);
      const { runId } = await bench.invoke();
      const [event] = eventsOf(await bench.events(runId), 'run_escalated');
      escalated.push([event?.escalation.trigger, event?.escalation.severity, event?.escalation.recipient]);
    }
    expect(escalated).toEqual([
      ['security_breach', 'high', 'security'],
      ['provider_outage', 'moderate', 'sre'],
      ['regulated_review', 'moderate', 'compliance'],
      ['workflow_issue', 'low', 'workflow_owner'],
    ]);
  },
);
