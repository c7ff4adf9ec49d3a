/** Tests which approval modes run inline and which are proposed, approved and then executed. */
import { expect } from 'vitest';
import type { EventType } from '../../../src/model/events/event.ts';
import type { ApprovalMode } from '../../../src/model/gate/approval-mode.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type Rig, rig } from '../rig.ts';

function benchOf(mode: ApprovalMode): Rig {
  const gates = mode === 'read_only' || mode === 'local_write' ? [] : ['GATE_DESK'];
  return rig({
    tools: { act: { approval_mode: mode, side_effect: mode !== 'read_only', gates, produces: ['done'] } },
    plans: [planOf([{ id: 's1', tool: 'act', params: { n: 1 }, ...(gates.length > 0 ? { requires: gates } : {}) }])],
  });
}

const PHASES: readonly EventType[] = ['gate_opened', 'gate_decided', 'step_attempted', 'step_observed'];

for (const [mode, id] of [
  ['read_only', 'approval:mode:read-only-inline'],
  ['local_write', 'approval:mode:local-write-inline'],
] as const) {
  verifies(id, `${mode} runs at once, without a gate`, async () => {
    const bench = benchOf(mode);
    const { runId, terminalCode } = await bench.invoke();
    expect(terminalCode).toBe('SUCCESS');
    expect(bench.dispatches).toHaveLength(1);
    const types = (await bench.events(runId)).map(({ type }) => type);
    expect(types.filter((type) => PHASES.includes(type))).toEqual(['step_attempted', 'step_observed']);
    expect(await bench.journal.gates({ session: runId })).toEqual([]);
    const { turns } = await bench.runtime.records.replay(runId);
    expect(turns.map(({ state }) => state.session.status)).not.toContain('awaiting_gate');
  });
}

for (const [mode, id] of [
  ['network', 'approval:mode:network-three-phase'],
  ['delegated', 'approval:mode:delegated-three-phase'],
  ['destructive', 'approval:mode:destructive-three-phase'],
] as const) {
  verifies(id, `${mode} is proposed, approved and executed, in this order`, async () => {
    const bench = benchOf(mode);
    const waiting = await bench.invoke();
    expect(waiting.status).toBe('awaiting_gate');
    expect(bench.dispatches).toEqual([]);
    const [gate] = waiting.pending;
    if (gate === undefined) throw new Error('no gate');
    const { gateId, packetHash } = gate;
    const done = await bench.runtime.approve(gateId, { packetHash, credential: operator('desk_1'), reason: 'fine' });
    expect(done.terminalCode).toBe('SUCCESS');
    expect(bench.dispatches).toHaveLength(1);
    const types = (await bench.events(done.runId)).map(({ type }) => type);
    expect(types.filter((type) => PHASES.includes(type))).toEqual(PHASES);
  });
}
