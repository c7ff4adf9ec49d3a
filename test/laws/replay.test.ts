/** What happened can be derived again from any number of frames, and no altered frame passes for what happened. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/sha256.ts';
import type { RunEvent } from '../../src/model/event.ts';
import { type Frame, GENESIS, sealFrame } from '../../src/model/frame.ts';
import { replayRun } from '../../src/replay/replay.ts';
import { foldFrames, sameState } from '../../src/testing/simulator/fold.ts';
import type { SimulatedJournal } from '../../src/testing/simulator/simulate.ts';
import { journal } from './journals.ts';

const RUNS = { numRuns: 60 };

test('every beginning of every journal replays to the state it folds to', () => {
  fc.assert(
    fc.property(journal, fc.nat(), ({ pinned, frames }, cut) => {
      const some = frames.slice(0, (cut % frames.length) + 1);
      const { state } = replayRun(pinned, some);
      expect(sameState(state, foldFrames(pinned.env, some))).toBe(true);
    }),
    RUNS,
  );
});

/** Puts another event in the place of one, and seals every frame anew, as whoever owns the store could. */
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

test('a verdict, a score or an ending that was altered is found, even where every hash was made to fit', () => {
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
