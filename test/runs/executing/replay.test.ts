/** Tests that replay derives every decision from the journal alone. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { EventType } from '../../../src/model/events/event.ts';
import { type Frame, type FrameLink, GENESIS, sealFrame } from '../../../src/model/events/frame.ts';
import { type Replayed, replayRun } from '../../../src/replay/replay.ts';
import { type RunOutcome, runOutcome } from '../../../src/session/outcome.ts';
import { verifies } from '../../requirements/verifies.ts';
import { partsOf } from '../graphs/kernel.ts';
import { planOf, type Rig, type RigOptions, rig } from '../rig.ts';
import { restartProcess } from './crashed-process.ts';

const ORDER = { type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] };

const OPTIONS: RigOptions = {
  tools: {
    look: { execute: () => ({ total: 42 }), output_schema: ORDER },
    finish: { produces: ['done'] },
  },
  plans: [
    planOf([
      { id: 's1', tool: 'look' },
      { id: 's2', tool: 'finish', params: { sum: { $from: 's1', path: '/total' } }, depends_on: ['s1'] },
    ]),
  ],
};

/** The same agent with a tool that throws, a tool that answers differently, and no plans. */
const DEAD_WORLD: RigOptions = {
  ...OPTIONS,
  tools: {
    look: {
      ...OPTIONS.tools?.['look'],
      execute: () => {
        throw new Error('a tool was called');
      },
    },
    finish: { ...OPTIONS.tools?.['finish'], execute: () => ({ changed: true }) },
  },
  plans: [],
};

async function recorded(): Promise<{ readonly bench: Rig; readonly original: RunOutcome }> {
  const bench = rig(OPTIONS);
  return { bench, original: await bench.invoke() };
}

verifies(
  [
    'replay:tools:no-live-calls',
    'replay:verdict:re-derived-equal',
    'replay:input:plan',
    'replay:input:transcripts',
    'score:inputs:plan-and-transcripts-only',
  ],
  'derives the same verdict and record every time, without calling a tool or the planner',
  async () => {
    const { bench, original } = await recorded();
    const elsewhere = restartProcess(bench, DEAD_WORLD);
    for (let time = 0; time < 2; time += 1) {
      const { state } = await elsewhere.runtime.records.replay(original.runId);
      expect(runOutcome(state)).toEqual(original);
    }
    expect(original.verdict?.step_scores).toHaveLength(2);
    expect(elsewhere.dispatches).toEqual([]);
    expect(elsewhere.planner.requests).toEqual([]);
    expect(await bench.runtime.records.frames(original.runId)).toEqual(
      await elsewhere.runtime.records.frames(original.runId),
    );
  },
);

/** Frames with changed events and a valid hash chain, as a forger would produce them. */
function forged(frames: readonly Frame[], change: (events: string) => string | null): readonly Frame[] {
  let prev: FrameLink = GENESIS;
  let seq = 0;
  return frames.flatMap((frame) => {
    const events = change(frame.events);
    if (events === null) return [];
    seq += 1;
    const sealed = sealFrame({ ...frame, events, seq, prev }, sha256);
    prev = sealed.hash;
    return [sealed];
  });
}

async function replayForged(change: (events: string) => string | null): Promise<() => Replayed> {
  const { bench, original } = await recorded();
  const frames = forged(await bench.runtime.records.frames(original.runId), change);
  const { pins, critic } = partsOf(OPTIONS);
  return () => replayRun({ env: pins.env, critic }, frames);
}

const without = (type: EventType) => (events: string) => (events.includes(`[{"type":"${type}"`) ? null : events);

verifies('replay:verdict:re-derived-equal', 'detects a changed transcript and a changed score', async () => {
  const tampered = await replayForged((events) => events.replace('{"total":42}', '{"total":"lots"}'));
  expect(tampered).toThrow(expect.objectContaining({ code: 'replay_divergence' }));
  const flattered = await replayForged((events) => events.replace('"utility":1', '"utility":0.9'));
  expect(flattered).toThrow(expect.objectContaining({ code: 'replay_divergence', path: expect.stringContaining('/') }));
});

verifies('replay:verdict:re-derived-equal', 'rejects a frame that does not match its hash', async () => {
  const { bench, original } = await recorded();
  const frames = await bench.runtime.records.frames(original.runId);
  const edited = frames.map((frame) => ({ ...frame, events: frame.events.replace('{"total":42}', '{"total":43}') }));
  const { pins, critic } = partsOf(OPTIONS);
  const replay = () => replayRun({ env: pins.env, critic }, edited);
  expect(replay).toThrow(expect.objectContaining({ code: 'store_corrupt' }));
});

verifies('replay:input:plan', 'names a plan that is missing from the record', async () => {
  const replay = await replayForged(without('plan_proposed'));
  expect(replay).toThrow(
    expect.objectContaining({ code: 'replay_input_missing', message: expect.stringContaining('the plan') }),
  );
});

verifies('replay:input:transcripts', 'names a transcript that is missing from the record', async () => {
  const first = (events: string) => (events.includes('"call_id":"call_1","outcome"') ? null : events);
  const replay = await replayForged(first);
  expect(replay).toThrow(
    expect.objectContaining({ code: 'replay_input_missing', message: expect.stringContaining('call_1') }),
  );
});
