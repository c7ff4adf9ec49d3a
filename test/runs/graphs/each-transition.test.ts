/** Tests that every transition is durable before its node acts. */
import { expect } from 'vitest';
import { movesMade } from '../../../src/kernel/state/call-state.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { type FailingJournal, outage } from './journals.ts';
import { fold, kernelOf } from './kernel.ts';

const ID = 'graph:checkpoint:each-transition-versioned';
const OPTIONS: RigOptions = {
  tools: { read: {}, finish: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 'a', tool: 'read' },
      { id: 'b', tool: 'finish', depends_on: ['a'] },
    ]),
  ],
};

verifies(ID, 'records transitions with consecutive versions, before the tool is called', async () => {
  const seen: number[] = [];
  const bench = rig({
    ...OPTIONS,
    tools: {
      ...OPTIONS.tools,
      read: {
        execute: async () => {
          const frames = await bench.runtime.records.frames('run_1');
          const events = frames.flatMap((frame) => JSON.parse(frame.events));
          const state = fold(kernelOf(OPTIONS), events).at(-1);
          seen.push(state?.position.node === 'tool_invocation' ? frames.length : -1);
          return { ok: true };
        },
      },
    },
  });
  const { runId } = await bench.invoke();
  expect(seen).toEqual([2]);
  const frames = await bench.runtime.records.frames(runId);
  expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, place) => place + 1));
  const states = fold(kernelOf(OPTIONS), await bench.events(runId));
  const versions = states.flatMap(({ position }, place) =>
    place === 0 ? [] : movesMade(position.moves).map((_, move, all) => position.transitions - all.length + move + 1),
  );
  const k = states.at(-1)?.position.transitions ?? 0;
  expect(k).toBeGreaterThan(20);
  expect(versions).toEqual(Array.from({ length: k }, (_, place) => place + 1));
});

const broken = (append: number): FailingJournal => outage(({ frame }) => frame.seq === append, 1);

for (const [append, calls, dispatches] of [
  [2, 1, []],
  [3, 1, ['read']],
  [4, 1, ['read', 'finish']],
] as const) {
  verifies(ID, `does not enter the next node if append ${append} fails`, async () => {
    const { journal } = broken(append);
    const bench = rig({ ...OPTIONS, world: { journal } });
    const outcome = await bench.invoke();
    expect(outcome).toMatchObject({ terminalCode: 'UNAVAILABLE_DEP', reason: 'checkpoint_write_failed' });
    expect(bench.planner.requests).toHaveLength(calls);
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(dispatches);
    const events = await bench.events(outcome.runId);
    expect(events.at(-1)).toMatchObject({ type: 'run_terminated', code: 'UNAVAILABLE_DEP' });
    expect((await bench.runtime.records.replay(outcome.runId)).state.ending.terminal?.code).toBe('UNAVAILABLE_DEP');
  });
}
