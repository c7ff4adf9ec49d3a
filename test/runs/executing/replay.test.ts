/** What was decided is derived again from the journal alone. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import type { EventType } from '../../../src/model/event.ts';
import { type Frame, type FrameLink, GENESIS, sealFrame } from '../../../src/model/frame.ts';
import { type Replayed, replayRun } from '../../../src/replay/replay.ts';
import { outcomeOf, type RunOutcome } from '../../../src/session/outcome.ts';
import { verifies } from '../../requirements/verifies.ts';
import { partsOf } from '../graphs/kernel.ts';
import { planOf, type Rig, type RigOptions, rig } from '../rig.ts';
import { nextLife } from './lives.ts';

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

/** The same agent in a world where every tool and the planner fail at a touch, and would say something else. */
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
  'without a tool and without a planner the same verdict and record come out, each time',
  async () => {
    const { bench, original } = await recorded();
    const elsewhere = nextLife(bench, DEAD_WORLD);
    for (let time = 0; time < 2; time += 1) {
      const { state } = await elsewhere.runtime.replay(original.runId);
      expect(outcomeOf(state)).toEqual(original);
    }
    expect(original.verdict?.step_scores).toHaveLength(2);
    expect(elsewhere.dispatches).toEqual([]);
    expect(elsewhere.planner.requests).toEqual([]);
    expect(await bench.runtime.frames(original.runId)).toEqual(await elsewhere.runtime.frames(original.runId));
  },
);

/** The same frames with something done to their events, chained anew as a forger would do it. */
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
  const frames = forged(await bench.runtime.frames(original.runId), change);
  const { pins, critic } = partsOf(OPTIONS);
  return () => replayRun({ env: pins.env, critic }, frames);
}

const without = (type: EventType) => (events: string) => (events.includes(`[{"type":"${type}"`) ? null : events);

verifies('replay:verdict:re-derived-equal', 'a transcript that was changed is found out', async () => {
  const tampered = await replayForged((events) => events.replace('{"total":42}', '{"total":"lots"}'));
  expect(tampered).toThrow(expect.objectContaining({ code: 'replay_divergence' }));
  const flattered = await replayForged((events) => events.replace('"utility":1', '"utility":0.9'));
  expect(flattered).toThrow(expect.objectContaining({ code: 'replay_divergence', path: expect.stringContaining('/') }));
});

verifies('replay:verdict:re-derived-equal', 'a frame that no longer fits its hash is not even read', async () => {
  const { bench, original } = await recorded();
  const frames = await bench.runtime.frames(original.runId);
  const edited = frames.map((frame) => ({ ...frame, events: frame.events.replace('{"total":42}', '{"total":43}') }));
  const { pins, critic } = partsOf(OPTIONS);
  const replay = () => replayRun({ env: pins.env, critic }, edited);
  expect(replay).toThrow(expect.objectContaining({ code: 'store_corrupt' }));
});

verifies('replay:input:plan', 'a plan that is not recorded is named', async () => {
  const replay = await replayForged(without('plan_proposed'));
  expect(replay).toThrow(
    expect.objectContaining({ code: 'replay_input_missing', message: expect.stringContaining('the plan') }),
  );
});

verifies('replay:input:transcripts', 'a transcript that is not recorded is named', async () => {
  const first = (events: string) => (events.includes('"call_id":"call_1","outcome"') ? null : events);
  const replay = await replayForged(first);
  expect(replay).toThrow(
    expect.objectContaining({ code: 'replay_input_missing', message: expect.stringContaining('call_1') }),
  );
});
