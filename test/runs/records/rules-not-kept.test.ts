/** A run from before runs kept what they are decided with: its decisions name whole requests. */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import type { RunEvent } from '../../../src/model/event.ts';
import { type FrameLink, GENESIS, sealFrame } from '../../../src/model/frame.ts';
import type { Authorizer } from '../../../src/ports/authorizer.ts';
import type { Append, Journal } from '../../../src/ports/journal.ts';
import { SMALL_CALLS } from '../../journals/runs/recipes.ts';
import { decidedAbout, eventsOf } from '../endings/turns.ts';
import { type Rig, rig } from '../rig.ts';
import { approve, POSTING } from './posting.ts';

const over = (journal: Journal, calls: Authorizer): Rig => rig({ ...POSTING, world: { journal, policy: { calls } } });
const { version, decide } = SMALL_CALLS;
const WHOLE: Authorizer = { version, decide };

/** What was appended, as if by a version that did not say what a run is decided with. */
async function withoutPins(appends: readonly Append[]): Promise<Journal> {
  const journal = memoryJournal({ hash: sha256 });
  let prev: FrameLink = GENESIS;
  for (const append of appends) {
    const events = (JSON.parse(append.frame.events) as RunEvent[]).map((event) => {
      if (event.type !== 'run_initialized') return event;
      const { decided_by: _, ...rest } = event;
      return rest;
    });
    const frame = sealFrame({ ...append.frame, events: JSON.stringify(events), prev }, sha256);
    const session = { ...append.projections.session, head_hash: frame.hash };
    await journal.append({ ...append, frame, projections: { ...append.projections, session } });
    prev = frame.hash;
  }
  return journal;
}

test('it goes on and replays by whole requests with an engine that tells what it looks at', async () => {
  const appends: Append[] = [];
  const kept = memoryJournal({ hash: sha256 });
  const noting: Journal = {
    ...kept,
    append: async (append) => {
      await kept.append(append);
      appends.push(append);
    },
  };
  const before = over(noting, WHOLE);
  const { runId } = await before.invoke();
  const now = over(await withoutPins(appends), SMALL_CALLS);
  expect(eventsOf(await now.events(runId), 'run_initialized')[0]?.decided_by).toBeUndefined();
  await now.runtime.replay(runId);
  await approve(now, runId);
  expect(await approve(now, runId)).toMatchObject({ terminalCode: 'SUCCESS' });
  await now.runtime.replay(runId);
  await approve(before, runId);
  await approve(before, runId);
  const hashes = async (bench: Rig): Promise<unknown> =>
    decidedAbout(await bench.events(runId)).map((policy) => policy?.context_hash);
  expect(await hashes(now)).toEqual(await hashes(before));
});
