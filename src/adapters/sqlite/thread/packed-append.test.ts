import { expect, test } from 'vitest';
import { toBlob } from '../../../model/json/blob.ts';
import type { Append } from '../../../ports/journal/journal.ts';
import type { Projections } from '../../../ports/journal/rows.ts';
import { effectRow, sampleGateRow } from '../../../testing/contracts/journal/case.ts';
import { draft } from '../../../testing/contracts/journal/draft.ts';
import { sha256 } from '../../node/ids-and-hash.ts';
import { packAppend, unpackAppend } from './packed-append.ts';

const [answer, state] = [toBlob('"an answer"', sha256), toBlob('{"a":"checkpoint"}', sha256)];
const first = draft(sha256);
const frame = { session_id: 'sess_1', seq: 2 };

const COMMON: Partial<Projections> = {
  effects: [
    effectRow({ idempotency_key: 'key_1', session_id: 'sess_1', state: 'settled', result: answer.address }),
    effectRow({ idempotency_key: 'key_2', session_id: 'sess_1' }),
  ],
  checkpoints: [
    { ...frame, checkpoint_id: 'ck_sess_1_1', address: state.address },
    { ...frame, checkpoint_id: 'ck_sess_1_2', address: state.address },
  ],
  intents: ['mail.send', 'mail.read'],
};

const step = (rows: Partial<Projections>): Append =>
  draft(sha256, {
    after: first.frame,
    events: '[{"type":"time_passed","at":2,"said":"äé→\\n"}]',
    blobs: [answer, state],
    // All values differ from each other and from the frame's, so that a swapped field is found.
    row: {
      wake_at: 5_000,
      terminal_code: 'SUCCESS',
      node: 'close',
      status: 'completed',
      last_seen: 7,
      started_at: 3,
      updated_at: 11,
    },
    rows,
  });

const use = { session_id: 'sess_1', step_id: 's1', used_at: 9 };

const APPENDS: readonly (readonly [string, Append])[] = [
  ['that starts a session and has nothing else', first],
  ['of a step', step(COMMON)],
  ['with gates', step({ ...COMMON, gates: [sampleGateRow({ gate_id: 'gate_1', session_id: 'sess_1' })] })],
  ['with grants', step({ ...COMMON, grants: [{ ...use, grant_id: 'grant_1' }] })],
  ['of a lane', step({ ...COMMON, parent: 'sess_0', workers: ['lead', 'drafter'] })],
  ['of a standing grant', step({ standing: [{ ...use, grant_id: 'grant_2', microusd: 12 }] })],
];

test.each(APPENDS)('an append %s is unchanged after packing and unpacking', (_, append) => {
  expect(unpackAppend(structuredClone(packAppend(append)))).toStrictEqual(append);
});
