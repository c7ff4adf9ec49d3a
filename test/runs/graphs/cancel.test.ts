/** Tests that a run can be cancelled at any node, and that every outcome class needs a terminal path. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { compile } from '../../../src/kernel/graph/compile.ts';
import { STANDARD_GRAPHS } from '../../../src/kernel/graph/standard-graphs.ts';
import { GUARDS } from '../../../src/kernel/query/guards.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import { OUTCOME_CLASSES } from '../../../src/model/plan/graph.ts';
import { verifies } from '../../requirements/verifies.ts';
import { neverAnswers, planOf, type Rig, type RigOptions, rig } from '../rig.ts';
import { before, placeAtNode, turn, turnsOf } from './kernel.ts';

const ID = 'graph:compile-rule:five-outcome-classes';
const PLANS = [planOf([{ id: 'a', tool: 'finish' }])];
const plain: RigOptions = { tools: { finish: { produces: ['done'] } }, plans: PLANS };
const cancel = { type: 'run_cancelled', by: 'user_1', reason: 'enough' } as const;

for (const outcome of OUTCOME_CLASSES) {
  verifies(ID, `does not compile a graph without a path for ${outcome}`, () => {
    const { [outcome]: _, ...outcomes } = STANDARD_GRAPHS.plan_first.outcomes;
    let message = '';
    try {
      compile({ ...STANDARD_GRAPHS.plan_first, outcomes }, GUARDS, sha256);
    } catch (error) {
      message = Fault.is(error) ? error.message : 'not a fault';
    }
    expect(message).toContain(`[outcome] ${outcome} has no terminal path`);
  });
}

verifies(ID, 'a cancel terminates the run from every node of every standard graph', async () => {
  const bench = rig(plain);
  const { runId } = await bench.invoke();
  const events = await bench.events(runId);
  for (const graph of Object.values(STANDARD_GRAPHS)) {
    const env = turnsOf({ ...plain, options: { graph } });
    const state = before(turnsOf(plain).env, events, 'step_cleared');
    for (const { id, terminal } of graph.nodes) {
      if (terminal === true) continue;
      const ended = turn(env, placeAtNode(state, id), cancel).state;
      expect([graph.name, id, ended.position.node, ended.ending.terminal?.code]).toEqual([
        graph.name,
        id,
        'terminate',
        'USER_CANCEL',
      ]);
    }
  }
});

const stuckPlanner = { planner: { propose: () => new Promise<never>(() => undefined) } };

const live: readonly [string, RigOptions][] = [
  ['plan', { ...plain, options: stuckPlanner as NonNullable<RigOptions['options']> }],
  ['tool_invocation', { ...plain, tools: { finish: { execute: neverAnswers } } }],
];
for (const [node, options] of live) {
  verifies(ID, `cancels a live run that waits at ${node}`, async () => {
    const bench = rig(options);
    const running = bench.invoke();
    const cancelled = await once(() => bench.runtime.sessions.send('run_1', cancel), bench, node);
    expect(cancelled).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
    expect(await running).toMatchObject({ terminalCode: 'USER_CANCEL' });
    expect(bench.clock.next()).toBeNull();
  });
}

/** Waits until the run is at the node, then acts. */
async function once<T>(act: () => Promise<T>, bench: Rig, node: string): Promise<T> {
  for (;;) {
    const [row] = await bench.journal.list({});
    if (row?.node === node) return await act();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
