/** A verdict of escalate stops all automatic work. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, handoverPacket, planOf, rig } from '../rig.ts';

const broken = (): never => {
  throw new Error('down');
};

verifies(
  'decide:escalate:human-handoff',
  'makes no further call and records the handover and the verdict',
  async () => {
    const bench = rig({
      tools: { read: {}, post: { retries_max: 1, execute: broken }, finish: { produces: ['done'] } },
      plans: [
        planOf([
          { id: 's1', tool: 'read' },
          { id: 's2', tool: 'post', depends_on: ['s1'] },
          { id: 's3', tool: 'finish', depends_on: ['s1'] },
        ]),
      ],
      caps: { ...CAPS, replan_attempts_max: 0 },
    });
    const stopped = await bench.invoke();
    expect(stopped).toMatchObject({ status: 'paused', authority: 'operator', verdict: { verdict: 'escalate' } });
    const sent = bench.dispatches.length;
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['read', 'post', 'post']);
    const handovers = (await bench.events(stopped.runId)).filter((event) => event.type === 'run_escalated');
    expect(handovers).toMatchObject([
      { escalation: { trigger: 'repeated_failure', recipient: 'operator', step_id: 's2', refs: expect.any(Array) } },
    ]);

    bench.clock.advanceTo(bench.clock.nowMs() + 3_000_000);
    expect(await bench.runtime.sessions.get(stopped.runId)).toMatchObject({ status: 'paused' });
    const ended = await bench.runtime.sessions.send(stopped.runId, {
      type: 'escalation_decided',
      decision: 'terminate',
      by: 'ops_1',
      reason: 'the ledger is down for the day',
      ...handoverPacket(stopped),
    });
    expect(ended).toMatchObject({ status: 'failed', record: { outcome: 'escalate' } });
    expect(bench.dispatches).toHaveLength(sent);
  },
);
