/**
 * Tests that a run whose process dies at any transition can be resumed to the same result, or closed with its trace.
 */
import { expect } from 'vitest';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import { vecToArray } from '../../../src/kernel/state/vec.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';
import { dyingAfter } from './journals.ts';

const ID = 'graph:checkpoint:resume-replay-terminate';
const OPTIONS: RigOptions = {
  tools: {
    read: {},
    pay: {
      approval_mode: 'destructive',
      side_effect: true,
      gates: ['GATE_A'],
      idempotency: { kind: 'key', retention_ms: 86_400_000 },
    },
    finish: { produces: ['done'] },
  },
  plans: [
    planOf([
      { id: 'a', tool: 'read' },
      { id: 'b', tool: 'pay', depends_on: ['a'], requires: ['GATE_A'], params: { amount: 42 } },
      { id: 'c', tool: 'finish', depends_on: ['b'] },
    ]),
  ],
};

/** Resumes a run and approves its gate, if one is open. */
async function finish(bench: Rig): Promise<void> {
  const outcome = await bench.settle(bench.runtime.resume('run_1'));
  const [gate] = outcome.pending;
  if (gate === undefined) return;
  const { gateId, packetHash } = gate;
  await bench.settle(bench.runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'seen' }));
}

/** The result of a run, without times, event counts, and the calls that were sent again. */
function worth({ work, budget, ending, people, planning }: RunState): unknown {
  const { version, evidenceByType, unresolved } = work;
  const facts = vecToArray(work.progress).map(({ status, fact }) => [status, fact]);
  const scores = vecToArray(work.scores);
  const approvals = people.approvals.map(({ decided_at: _, packet_hash: __, ...rest }) => rest);
  return [
    version,
    evidenceByType,
    unresolved,
    facts,
    scores,
    { ...budget?.used, tool_calls: 0 },
    ending.terminal?.code,
    approvals,
    planning.active?.plan,
  ];
}

async function uninterrupted(): Promise<{ readonly state: RunState; readonly frames: number }> {
  const bench = rig(OPTIONS);
  await bench.invoke();
  await finish(bench);
  const { state, turns } = await bench.runtime.records.replay('run_1');
  return { state, frames: turns.length };
}

verifies(ID, 'killed after any transition, it resumes to the same result and pays once', async () => {
  const complete = await uninterrupted();
  expect(complete.state.ending.terminal?.code).toBe('SUCCESS');
  for (let death = 1; death < complete.frames; death += 1) {
    const { journal, store } = dyingAfter(death);
    const first = rig({ ...OPTIONS, world: { journal } });
    const died = await first.invoke().then(() => finish(first).then(() => null, String), String);
    expect([death, died]).toEqual([death, expect.stringContaining('this process is dead')]);
    const second = rig({ ...OPTIONS, world: { journal: store } });
    second.clock.advanceTo(first.clock.nowMs());
    await finish(second);
    const { state } = await second.runtime.records.replay('run_1');
    expect([death, worth(state)]).toEqual([death, worth(complete.state)]);
    const calls = state.budget?.used.tool_calls ?? 0;
    const usual = complete.state.budget?.used.tool_calls ?? 0;
    expect([death, calls - usual]).toEqual([death, expect.toBeOneOf([0, 1])]);
    const paid = [...first.dispatches, ...second.dispatches].filter(({ tool }) => tool === 'pay');
    expect([death, paid.length]).toEqual([death, 1]);
  }
});

verifies(ID, 'killed after any transition, it can be closed with a complete trace', async () => {
  const { frames } = await uninterrupted();
  for (let death = 1; death < frames; death += 1) {
    const { journal, store } = dyingAfter(death);
    const first = rig({ ...OPTIONS, world: { journal } });
    await first
      .invoke()
      .then(() => finish(first))
      .catch(() => undefined);
    const second = rig({ ...OPTIONS, world: { journal: store } });
    const cancel = { type: 'run_cancelled', by: 'operator_1', reason: 'the process is gone' };
    const closed = await second.settle(second.runtime.sessions.send('run_1', cancel));
    expect([death, closed.terminalCode]).toEqual([death, 'USER_CANCEL']);
    const events = await second.events('run_1');
    expect(events.filter(({ type }) => type === 'run_terminated')).toHaveLength(1);
    expect((await second.runtime.records.replay('run_1')).state.ending.terminal?.code).toBe('USER_CANCEL');
  }
});
