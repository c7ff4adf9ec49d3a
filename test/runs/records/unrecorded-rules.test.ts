/** A run from before rules were recorded: its decisions hash complete requests. */
import { expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import { type FrameLink, GENESIS, sealFrame } from '../../../src/model/events/frame.ts';
import { withFullRequests } from '../../../src/model/policy/policy-decision.ts';
import type { Authorizer } from '../../../src/ports/authorizer.ts';
import type { Append, Journal } from '../../../src/ports/journal/journal.ts';
import { SMALL_CALLS } from '../../journals/runs/recipes.ts';
import { decidedAbout, eventsOf } from '../endings/turns.ts';
import { type Rig, rig } from '../rig.ts';
import { approve, POSTING } from './posting.ts';

const rigOn = (journal: Journal, calls: Authorizer): Rig => rig({ ...POSTING, world: { journal, policy: { calls } } });
const FULL_REQUESTS: Authorizer = withFullRequests(SMALL_CALLS);

/** The appended frames without `decided_by`, as an earlier version wrote them. */
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

test('continues and replays by complete requests with an engine that reports what it considered', async () => {
  const appends: Append[] = [];
  const kept = memoryJournal({ hash: sha256 });
  const noting: Journal = {
    ...kept,
    append: async (append) => {
      await kept.append(append);
      appends.push(append);
    },
  };
  const before = rigOn(noting, FULL_REQUESTS);
  const { runId } = await before.invoke();
  const now = rigOn(await withoutPins(appends), SMALL_CALLS);
  expect(eventsOf(await now.events(runId), 'run_initialized')[0]?.decided_by).toBeUndefined();
  await now.runtime.records.replay(runId);
  await approve(now, runId);
  expect(await approve(now, runId)).toMatchObject({ terminalCode: 'SUCCESS' });
  await now.runtime.records.replay(runId);
  await approve(before, runId);
  await approve(before, runId);
  const hashes = async (bench: Rig): Promise<unknown> =>
    decidedAbout(await bench.events(runId)).map((policy) => policy?.context_hash);
  expect(await hashes(now)).toEqual(await hashes(before));
});
