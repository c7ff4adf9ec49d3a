/** Replay derives the same state from any number of frames and detects every altered frame. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { foldFrames } from '../../src/kernel/index.ts';
import type { RunEvent } from '../../src/model/events/event.ts';
import { type Frame, GENESIS, sealFrame } from '../../src/model/events/frame.ts';
import { replayRun } from '../../src/replay/replay.ts';
import type { SimulatedJournal } from '../../src/testing/simulator/simulate.ts';
import { sameState } from '../../src/testing/simulator/store.ts';
import { journal } from './journals.ts';

const RUNS = { numRuns: 60 };

test('every prefix of every journal replays to the state it folds to', () => {
  fc.assert(
    fc.property(journal, fc.nat(), ({ pinned, frames }, cut) => {
      const some = frames.slice(0, (cut % frames.length) + 1);
      const { state } = replayRun(pinned, some);
      expect(sameState(state, foldFrames(pinned.env, some))).toBe(true);
    }),
    RUNS,
  );
});

/** Replaces one event and seals every frame again, as the owner of the store could. */
function altered({ frames }: SimulatedJournal, at: number, change: (event: RunEvent) => RunEvent): readonly Frame[] {
  let prev: Frame['prev'] = GENESIS;
  let place = 0;
  return frames.map((frame) => {
    const events = (JSON.parse(frame.events) as readonly RunEvent[]).map((event) => {
      const here = place;
      place += 1;
      return here === at ? change(event) : event;
    });
    const sealed = sealFrame({ ...frame, prev, events: JSON.stringify(events) }, sha256);
    prev = sealed.hash;
    return sealed;
  });
}

test('detects an altered verdict, score or ending, even if every hash was recomputed', () => {
  let found = 0;
  fc.assert(
    fc.property(journal, (recorded) => {
      const events = recorded.frames.flatMap((frame) => JSON.parse(frame.events) as readonly RunEvent[]);
      const judged = events.findIndex(({ type }) => type === 'step_judged');
      if (judged < 0) return;
      const forged = altered(
        recorded,
        judged,
        (event) => ({ ...event, scores: { policy: 1, utility: 0.123 } }) as RunEvent,
      );
      expect(() => replayRun(recorded.pinned, forged)).toThrow(expect.objectContaining({ code: 'replay_divergence' }));
      found += 1;
    }),
    RUNS,
  );
  expect(found).toBeGreaterThan(10);
});
