/** Calls that write data, pay, send messages or change infrastructure wait for approval. */
import { expect } from 'vitest';
import type { ToolSpec } from '../../../src/model/tool/tool.ts';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { operator, planOf, type Rig, rig } from '../rig.ts';

const CLASSES: Readonly<Record<string, Partial<ToolSpec>>> = {
  write: { category: 'database', approval_mode: 'destructive' },
  financial: { category: 'payment', approval_mode: 'destructive' },
  communication: { category: 'email_calendar', approval_mode: 'network' },
  infrastructure: {
    category: 'infrastructure',
    approval_mode: 'delegated',
    hazards: { blast_radius: 'One service', rollback: 'Start the version before' },
    rules: { operation: 'gated', target: { at: '/to', allow: ['prod'] } },
  },
};
const ID = ['terminate:confirm-required:approval-packet', 'budget:control-privileged:suspend-for-approval'];

const act = { side_effect: true, external: true, produces: ['done'] } as const;

async function invokeGated(changes: Partial<ToolSpec>): Promise<{ readonly bench: Rig; readonly waiting: RunOutcome }> {
  const bench = rig({
    tools: { act: { ...changes, ...act, gates: ['GATE_ACT'] } },
    plans: [planOf([{ id: 'a', tool: 'act', params: { to: 'prod' }, requires: ['GATE_ACT'] }])],
  });
  return { bench, waiting: await bench.invoke() };
}

for (const [name, changes] of Object.entries(CLASSES)) {
  verifies(ID, `${name}: suspends with a packet and sends nothing`, async () => {
    const { bench, waiting } = await invokeGated(changes);
    expect(waiting).toMatchObject({ status: 'awaiting_gate', suspended: { code: 'CONFIRM_REQUIRED' } });
    expect(bench.dispatches).toEqual([]);
    expect(await bench.runtime.gates.packet(waiting.pending[0]?.packetHash ?? '')).toMatchObject({
      action: 'act',
      parameters: { to: 'prod' },
      gate: 'GATE_ACT',
    });
  });

  verifies('budget:control-privileged:suspend-for-approval', `${name}: sends nothing without a gate`, async () => {
    const bench = rig({
      tools: { act: { ...changes, ...act } },
      plans: [planOf([{ id: 'a', tool: 'act', params: { to: 'prod' } }])],
    });
    const outcome = await bench.invoke();
    expect(outcome.terminalCode).not.toBe('SUCCESS');
    expect(bench.dispatches).toEqual([]);
  });

  verifies(ID, `${name}: sends an approved call once`, async () => {
    const { bench, waiting } = await invokeGated(changes);
    const { gateId = '', packetHash = '' } = waiting.pending[0] ?? {};
    const done = await bench.settle(
      bench.runtime.approve(gateId, { packetHash, credential: operator('boss'), reason: 'ok' }),
    );
    expect(done).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(bench.dispatches).toHaveLength(1);
  });

  verifies(ID, `${name}: ends a rejected run and records the decision`, async () => {
    const { bench, waiting } = await invokeGated(changes);
    const { gateId = '', packetHash = '' } = waiting.pending[0] ?? {};
    const done = await bench.settle(
      bench.runtime.gates.reject(gateId, { packetHash, credential: operator('boss'), reason: 'no' }),
    );
    expect(done).toMatchObject({ status: 'rejected', terminalCode: 'PERMISSION_DENIED', reason: 'approval_rejected' });
    expect(bench.dispatches).toEqual([]);
    const decisions = eventsOf(await bench.events(done.runId), 'gate_decided');
    expect(decisions).toMatchObject([{ decision: 'reject', approver: 'boss', reason: 'no' }]);
    expect(done.record?.approvals).toMatchObject([{ decision: 'reject', approver: 'boss' }]);
  });
}
