/** A store file whose frames were rewritten and sealed again: the hashes fit, and an event does not fit its schema. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { memoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import type { RunEvent } from '../../src/model/events/event.ts';
import { type Frame, type FrameLink, GENESIS, sealFrame } from '../../src/model/events/frame.ts';
import { addressOfText } from '../../src/model/json/hash.ts';
import type { Append, Journal } from '../../src/ports/journal/journal.ts';
import { freshFile } from '../journal/sqlite-store.ts';
import { type Rig, rig } from '../runs/rig.ts';
import { FORMAT_5_SHOP } from './format-5-shop.ts';

const over = (journal: Journal): Rig => rig({ ...FORMAT_5_SHOP, world: { journal } });

/** A run that waits at a gate, as the appends that stored it. */
async function recordedRun(): Promise<{ readonly runId: string; readonly appends: readonly Append[] }> {
  const appends: Append[] = [];
  const kept = memoryJournal({ hash: sha256 });
  const append = async (one: Append): Promise<void> => {
    await kept.append(one);
    appends.push(one);
  };
  const { runId, status } = await over({ ...kept, append }).invoke();
  expect(status).toBe('awaiting_gate');
  return { runId, appends };
}

/** The same run in a file, with its events changed and every frame sealed again. */
async function storedAs(appends: readonly Append[], change: (event: RunEvent) => object): Promise<Journal> {
  const journal = sqliteJournal({ path: freshFile(), hash: sha256 });
  let prev: FrameLink = GENESIS;
  for (const append of appends) {
    const events = JSON.stringify((JSON.parse(append.frame.events) as RunEvent[]).map(change));
    const frame = sealFrame({ ...append.frame, events, prev }, sha256);
    const session = { ...append.projections.session, head_hash: frame.hash };
    await journal.append({ ...append, frame, projections: { ...append.projections, session } });
    prev = frame.hash;
  }
  return journal;
}

/** The place of the first event of a type: the number of its frame and its index in the frame. */
function placeOf(appends: readonly Append[], type: RunEvent['type']): readonly [seq: number, place: number] {
  for (const { frame } of appends) {
    const place = (JSON.parse(frame.events) as RunEvent[]).findIndex((event) => event.type === type);
    if (place !== -1) return [frame.seq, place];
  }
  throw new Error(`the run has no ${type}`);
}

const ACTS: Readonly<Record<string, (bench: Rig, runId: string) => Promise<unknown>>> = {
  resume: ({ runtime }, runId) => runtime.resume(runId),
  replay: ({ runtime }, runId) => runtime.records.replay(runId),
  trace: ({ runtime }, runId) => runtime.records.trace(runId),
  export: ({ runtime }, runId) => runtime.records.export(runId),
};

const CASES = [
  ['lacks a field', 'step_verified', { ok: undefined }, 'ok', 'is missing'],
  ['has a number for a boolean', 'step_verified', { ok: 1 }, 'ok', 'does not fit the schema of the event'],
  [
    'has a value that is not listed',
    'step_cleared',
    { mode: 'anything' },
    'mode',
    'does not fit the schema of the event',
  ],
  ['lacks a field inside a field', 'step_observed', { spent: {} }, 'spent', 'does not fit the schema of the event'],
] as const;

for (const [name, type, change, field, problem] of CASES) {
  test(`an event that ${name} is refused with its place, by every reader`, async () => {
    const { runId, appends } = await recordedRun();
    const [seq, place] = placeOf(appends, type);
    const journal = await storedAs(appends, (event) => (event.type === type ? { ...event, ...change } : event));
    for (const act of Object.values(ACTS)) {
      await expect(act(over(journal), runId)).rejects.toMatchObject({
        code: 'store_corrupt',
        message: `frame ${seq} of session ${runId}: ${field} of event ${place} (${type}) ${problem}`,
        path: `/frames/${seq}/${place}/${field}`,
      });
    }
  });
}

/** A bundle with its events changed, and every frame and the bundle sealed again. */
function bundledAs(file: Uint8Array, change: (event: RunEvent) => object): Uint8Array {
  let prev: FrameLink = GENESIS;
  const [head = '', ...rest] = gunzipSync(file).toString('utf8').split('\n').slice(0, -2);
  const rows = rest.map((line) => {
    const row = JSON.parse(line) as { readonly frame?: Frame };
    if (row.frame === undefined) return line;
    const events = JSON.stringify((JSON.parse(row.frame.events) as RunEvent[]).map(change));
    const frame = sealFrame({ ...row.frame, events, prev }, sha256);
    prev = frame.hash;
    return JSON.stringify({ frame });
  });
  const text = `${[JSON.stringify({ ...JSON.parse(head), head: prev }), ...rows].join('\n')}\n`;
  return gzipSync(`${text}${JSON.stringify({ seal: addressOfText(sha256, text) })}\n`);
}

test('a bundle with a malformed event is refused when it is imported: every event is parsed in full', async () => {
  const { runId, appends } = await recordedRun();
  const file = await over(await storedAs(appends, (event) => event)).runtime.records.export(runId);
  const imported = (change: object): Promise<unknown> =>
    rig(FORMAT_5_SHOP).runtime.records.import(
      bundledAs(file, (event) => (event.type === 'step_verified' ? { ...event, ...change } : event)),
    );
  await expect(imported({})).resolves.toMatchObject({ runId });
  const [seq, place] = placeOf(appends, 'step_verified');
  for (const [change, path] of [
    [{ ok: 1 }, '/ok'],
    [{ ok: undefined }, '/ok'],
    [{ validator: 'not a name' }, '/validator'],
    [{ more: true }, ''],
  ] as const) {
    await expect(imported(change)).rejects.toMatchObject({
      code: 'bundle_invalid',
      message: expect.stringContaining(`step_verified of session ${runId} is malformed`),
      path: `/frames/${seq}/${place}${path}`,
    });
  }
});

test('an event of an unknown type is refused', async () => {
  const { runId, appends } = await recordedRun();
  const journal = await storedAs(appends, (event) =>
    event.type === 'step_verified' ? { ...event, type: 'step_blessed' } : event,
  );
  const [seq, place] = placeOf(appends, 'step_verified');
  await expect(over(journal).runtime.records.trace(runId)).rejects.toMatchObject({
    code: 'store_corrupt',
    message: `frame ${seq} of session ${runId}: type of event ${place} does not fit the schema of the event`,
  });
});

test('a run whose frames are sealed again without a change resumes and replays', async () => {
  const { runId, appends } = await recordedRun();
  const bench = over(await storedAs(appends, (event) => event));
  expect(await bench.runtime.resume(runId)).toMatchObject({ status: 'awaiting_gate' });
  await bench.runtime.records.replay(runId);
});
