import assert from 'node:assert/strict';
import { Fault } from '../../../model/fault/fault.ts';
import { toBlob } from '../../../model/json/blob.ts';
import { type Append, FAULT_POINTS, type FaultPoint, type FaultPoints } from '../../../ports/journal/journal.ts';
import type { CheckpointRow } from '../../../ports/journal/rows.ts';
import { effectRow, grantUse, type JournalCase, journalCase, refused, sampleGateRow } from './case.ts';
import { draft, grow } from './draft.ts';

interface ArmedFaults {
  readonly points: FaultPoints;
  /** Makes the store fail once, the next time it reaches this point. */
  arm(point: FaultPoint): void;
}

/** Fault points that fail when a test arms them. */
export function armedFaults(): ArmedFaults {
  let armed: FaultPoint | null = null;
  return {
    points: (point) => {
      if (point !== armed) return;
      armed = null;
      throw new Fault('internal', `a test failed the store at ${point}`);
    },
    arm: (point) => {
      armed = point;
    },
  };
}

const [OWN, OTHER] = [{ session_id: 'sess_1' }, { session_id: 'sess_other' }];

/** Appends with one error each, and the path of the error. */
const WRONG: readonly (readonly [path: string, spoil: (append: Append) => Append])[] = [
  ['/expectedSeq', (append) => ({ ...append, expectedSeq: -1 })],
  ['/expectedSeq', (append) => ({ ...append, expectedSeq: Number.NaN })],
  ['/frame/seq', (append) => ({ ...append, expectedSeq: 7 })],
  ['/frame/session', (append) => ({ ...append, session: 'sess_other' })],
  ['/frame/writer', (append) => ({ ...append, writer: 'w_other' })],
  ['/frame/at', (append) => ({ ...append, frame: { ...append.frame, at: 0.5 } })],
  ['/frame/prev', (append) => ({ ...append, frame: { ...append.frame, prev: append.frame.hash } })],
  ['/frame/events', (append) => ({ ...append, frame: { ...append.frame, events: '["\ud800"]' } })],
  ['/frame/hash', (append) => ({ ...append, frame: { ...append.frame, events: '["other"]' } })],
  ['/blobs/0', (append) => ({ ...append, blobs: [{ ...append.blobs[0], text: 'other' } as (typeof append.blobs)[0]] })],
  ['/projections/session/seq', (append) => withRow(append, { seq: 9 })],
  ['/projections/session/session_id', (append) => withRow(append, { session_id: 'sess_other' })],
  ['/projections/session/head_hash', (append) => withRow(append, { head_hash: 'sha256:other' })],
  [
    '/projections/gates/0/session_id',
    (append) => withRows(append, { gates: [sampleGateRow({ ...OTHER, gate_id: 'gate' })] }),
  ],
  [
    '/projections/effects/1/session_id',
    (append) => withRows(append, { effects: [OWN, OTHER].map((row) => effectRow({ ...row, idempotency_key: 'key' })) }),
  ],
  [
    '/projections/grants/0/session_id',
    (append) => withRows(append, { grants: [grantUse({ ...OTHER, grant_id: 'grant' })] }),
  ],
  ['/projections/checkpoints/0/session_id', (append) => withRows(append, { checkpoints: [checkpoint(append, OTHER)] })],
  ['/projections/checkpoints/0/seq', (append) => withRows(append, { checkpoints: [checkpoint(append, { seq: 9 })] })],
  [
    '/projections/checkpoints/1/seq',
    (append) => withRows(append, { checkpoints: [checkpoint(append), checkpoint(append, { seq: 0 })] }),
  ],
];

function withRow({ projections, ...rest }: Append, row: Partial<Append['projections']['session']>): Append {
  return { ...rest, projections: { ...projections, session: { ...projections.session, ...row } } };
}

function withRows({ projections, ...rest }: Append, rows: Partial<Append['projections']>): Append {
  return { ...rest, projections: { ...projections, ...rows } };
}

function checkpoint({ blobs, frame }: Append, row: Partial<CheckpointRow> = {}): CheckpointRow {
  return { ...OWN, checkpoint_id: 'ck', seq: frame.seq, address: blobs[0]?.address ?? frame.hash, ...row };
}

/** Invalid appends, and failures in the middle of an operation. */
export const FAILING: readonly JournalCase[] = [
  journalCase('refuses an inconsistent append with the path of the error', async (journal, { hash }) => {
    const good = draft(hash, { blobs: [toBlob('text', hash)] });
    for (const [path, spoil] of WRONG) {
      const fault = await refused(journal.append(spoil(good)), 'input_invalid');
      assert.equal(fault.path, path, fault.message);
    }
    assert.deepEqual(await journal.list({}), []);
    await journal.append(good);
  }),
  ...FAULT_POINTS.map(
    (point): JournalCase => ({
      name: `reports store_unknown for a failure ${point === 'before_commit' ? 'before' : 'after'} the commit and accepts the append again`,
      run: async ({ open, hash }) => {
        const faults = armedFaults();
        const journal = await open(faults.points);
        const head = await grow(journal, hash, 2);
        const blob = toBlob('in the balance', hash);
        const grants = [grantUse({ grant_id: 'grant_1', session_id: 'sess_1' })];
        const append = draft(hash, { after: head, blobs: [blob], rows: { grants } });
        faults.arm(point);
        const fault = await refused(journal.append(append), 'store_unknown');
        assert.equal(fault.retryable, true);
        const isStored = point === 'after_commit';
        assert.equal((await journal.load('sess_1')).length, isStored ? 3 : 2);
        await journal.append(append);
        assert.deepEqual((await journal.load('sess_1')).at(-1), append.frame);
        assert.equal(await journal.blob(blob.address), 'in the balance');
        const other = draft(hash, { after: head, writer: 'w_other' });
        await refused(journal.append(other), 'fenced');
        await journal.append(draft(hash, { after: append.frame }));
        assert.equal((await journal.load('sess_1')).length, 4);
      },
    }),
  ),
  {
    name: 'fences a repeated append after an unknown commit if another writer came first',
    run: async ({ open, hash }) => {
      const faults = armedFaults();
      const [failing, sound] = [await open(faults.points), await open()];
      const append = draft(hash);
      faults.arm('before_commit');
      await refused(failing.append(append), 'store_unknown');
      const other = draft(hash, { writer: 'w_other' });
      await sound.append(other);
      await refused(failing.append(append), 'fenced');
      assert.deepEqual(await failing.load('sess_1'), [other.frame]);
    },
  },
  journalCase('completes pending operations on close and refuses later ones', async (journal, { open, hash }) => {
    const first = draft(hash);
    const pending = journal.append(first);
    await journal.close();
    await pending;
    await refused(journal.append(draft(hash, { after: first.frame })), 'store_unavailable');
    await refused(journal.load('sess_1'), 'store_unavailable');
    await journal.close();
    assert.deepEqual(await (await open()).load('sess_1'), [first.frame]);
  }),
  {
    name: "lets two journals on the same store continue each other's session",
    run: async ({ open, hash }) => {
      const [left, right] = [await open(), await open()];
      let append = draft(hash);
      for (let turn = 0; turn < 6; turn += 1) {
        await (turn % 2 ? left : right).append(append);
        append = draft(hash, { after: append.frame, writer: `w_${turn % 2}` });
      }
      assert.equal((await left.load('sess_1')).length, 6);
      assert.deepEqual(await left.load('sess_1'), await right.load('sess_1'));
    },
  },
];
