/** The trace is append-only, ordered and tamper-evident. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { type Frame, sealFrame, verifyChain } from '../../../src/model/events/frame.ts';
import { Fault } from '../../../src/model/fault/fault.ts';
import { replayRun } from '../../../src/replay/replay.ts';
import { createHost } from '../../../src/session/host.ts';
import { verifies } from '../../requirements/verifies.ts';
import { partsOf } from '../graphs/kernel.ts';
import { planOf, REQUEST, type RigOptions, rig } from '../rig.ts';

const OPTIONS: RigOptions = {
  tools: { read: { execute: () => ({ found: 7 }) }, finish: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 'a', tool: 'read' },
      { id: 'b', tool: 'finish', depends_on: ['a'] },
    ]),
  ],
};

async function endedRun(): Promise<{
  readonly frames: readonly Frame[];
  readonly replay: (frames: readonly Frame[]) => string;
}> {
  const bench = rig(OPTIONS);
  const { runId } = await bench.invoke();
  const { pins, critic } = partsOf(OPTIONS);
  const replay = (frames: readonly Frame[]): string => {
    try {
      return replayRun({ env: pins.env, critic }, frames).state.ending.terminal?.code ?? 'open';
    } catch (error) {
      if (!Fault.is(error)) throw error;
      return `${error.code}: ${error.message}`;
    }
  };
  return { frames: await bench.runtime.records.frames(runId), replay };
}

verifies('trace:immutability:append-only-then-sealed', 'detects an edited, moved or resealed entry', async () => {
  const { frames, replay } = await endedRun();
  expect(replay(frames)).toBe('SUCCESS');
  for (const [place, frame] of frames.entries()) {
    const events = frame.events.replace('"at":1777890000000', '"at":1777890000001');
    expect(events).not.toBe(frame.events);
    const edited = frames.with(place, { ...frame, events });
    expect(verifyChain(edited, sha256)).toEqual({ seq: place + 1, why: 'wrong_hash' });
    expect(replay(edited)).toMatch(/^store_corrupt: frame /);
    const resealed = frames.with(place, sealFrame({ ...frame, events }, sha256));
    expect(replay(resealed)).toMatch(place === frames.length - 1 ? /^replay_divergence/ : /^store_corrupt/);
  }
  const [first, second, ...rest] = frames;
  if (first === undefined || second === undefined) throw new Error('too short');
  expect(replay([second, first, ...rest])).toMatch(/^store_corrupt/);
});

verifies(
  'trace:checkpoints:after-verified-transition',
  'rebuilds committed state from the entries, and detects a missing entry',
  async () => {
    const parts = partsOf(OPTIONS);
    const run = await createHost(parts).start(REQUEST);
    const live = await run.runUntilIdle();
    const frames = await parts.journal.load(live.id.runId);
    const { turns, state } = replayRun({ env: parts.pins.env, critic: parts.critic }, frames);
    expect(turns.map((turn) => turn.state.work.version)).toEqual([0, 0, 1, 2]);
    expect(state.work).toEqual(live.work);
    expect(state.work).toMatchObject({ version: 2, evidenceByType: { done: 'ev_2' } });
    const committed = turns.flatMap(({ events }) => events.filter(({ type }) => type === 'step_committed'));
    expect(committed).toMatchObject([{ version: 1 }, { version: 2 }]);
    const saved = turns.flatMap(({ checkpoints }) => checkpoints);
    for (const { checkpointId, address } of saved) {
      expect((await parts.journal.checkpoint(checkpointId)).row.address).toBe(address);
    }
    const { replay } = await endedRun();
    for (let missing = 0; missing < frames.length - 1; missing += 1) {
      expect(replay(frames.toSpliced(missing, 1))).toMatch(new RegExp(`^store_corrupt: frame ${missing + 1}: `));
    }
  },
);
