/** The trigger of an escalation selects its recipient. */
import { expect } from 'vitest';
import { Fault } from '../../../src/model/fault/fault.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { judge, judgeAnswer } from '../judges/bench.ts';
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

/** A tool whose result the critic scores too low, without a reflection left. */
const DOUBTED: RigOptions = {
  tools: FINISH,
  plans: [ONE],
  caps: { ...CAPS, reflection_passes_max: 0 },
  world: { judges: [judge({ says: [judgeAnswer(0.1)], applies: { tools: ['finish'], run: false } })] },
};

const MUTATION: RigOptions = {
  tools: { wipe: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_OWNER'], produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'wipe', requires: ['GATE_OWNER'] }])],
};

verifies(
  'escalate:routing:five-trigger-classes',
  'a run fails closed, opens a gate, asks, is reviewed or degrades, by the class of its trigger',
  async () => {
    const routed = async (options: RigOptions): Promise<unknown> => {
      const bench = rig(options);
      const { runId, status } = await bench.invoke();
      const [event] = eventsOf(await bench.events(runId), 'run_escalated');
      const { trigger_class, route } = event?.escalation ?? {};
      return [trigger_class, route, status, bench.dispatches.length];
    };
    expect(await routed(BREACH)).toEqual(['safety', 'fail_closed', 'failed', 1]);
    expect(await routed({ ...BREACH, caps: { ...CAPS, tool_calls_max: 0 }, world: {} })).toEqual([
      'privileged_mutation',
      'approval_gate',
      'paused',
      0,
    ]);
    expect(await routed(DOUBTED)).toEqual(['uncertainty', 'review', 'paused', 1]);
    expect(await routed(OUTAGE)).toEqual(['outage', 'degraded_mode', 'paused', 0]);

    const mutation = rig(MUTATION);
    const waiting = await mutation.invoke();
    expect(waiting).toMatchObject({ status: 'awaiting_gate', pending: [{ name: 'GATE_OWNER' }] });
    expect(mutation.dispatches).toEqual([]);
    const asking = rig({ tools: FINISH, plans: [ONE] });
    expect(await asking.invoke({ goal: { statement: 'Do the work', required_fields: ['date'] } })).toMatchObject({
      status: 'paused',
      authority: 'user',
      question: { fields: ['date'] },
    });
    expect(asking.planner.requests).toEqual([]);
  },
);
