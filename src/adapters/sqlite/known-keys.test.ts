/** Tests the cache of known keys: it never reports an old key as new, and does not read a session twice. */
import { describe, expect, test } from 'vitest';
import type { Frame } from '../../model/events/frame.ts';
import { effectRow } from '../../testing/contracts/journal/case.ts';
import { draft } from '../../testing/contracts/journal/draft.ts';
import { sha256 } from '../node/ids-and-hash.ts';
import { knownKeys } from './known-sessions.ts';

type Lines = readonly (readonly ['pending' | 'settled', string])[];

/** A fake store of sessions that counts its reads. */
function bench(max = 100_000) {
  const stored = new Map<string, { readonly frame: Frame; readonly keys: Set<string> }>();
  const reads: string[] = [];
  const keys = knownKeys(({ head_hash }) => {
    const [session, found] = [...stored].find(([, { frame }]) => frame.hash === head_hash) ?? ['nobody'];
    reads.push(session);
    return found?.keys ?? [];
  }, max);
  /** Stores an append. Returns the cache's answer, or null if another connection wrote it. */
  const write = (session: string, lines: Lines, isOwn: boolean): boolean | null => {
    const before = stored.get(session);
    const effects = lines.map(([state, idempotency_key]) => effectRow({ session_id: session, state, idempotency_key }));
    const append = draft(sha256, { session, ...(before && { after: before.frame }), rows: { effects } });
    const head = before === undefined ? null : { head_hash: before.frame.hash, last_row: before.frame.seq };
    const areNew = isOwn ? keys.areNew(append, head) : null;
    const all = new Set([...(before?.keys ?? []), ...lines.map(([, key]) => key)]);
    stored.set(session, { frame: append.frame, keys: all });
    return areNew;
  };
  return {
    keys,
    reads,
    own: (lines: Lines, session = 'sess_1') => write(session, lines, true),
    other: (lines: Lines, session = 'sess_1') => write(session, lines, false),
  };
}

describe('a session that this connection started', () => {
  test('is known from its first frame: a key is new once, without any read', () => {
    const { own, reads } = bench();
    expect([own([]), own([['pending', 'a']]), own([['settled', 'a']]), own([['pending', 'a']])]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(reads).toEqual([]);
  });

  test('reports the next call as new when one append settles a call and intends the next', () => {
    const { own } = bench();
    own([['pending', 'a']]);
    expect(
      own([
        ['settled', 'a'],
        ['pending', 'b'],
      ]),
    ).toBe(true);
  });

  test.each([
    ['intends it twice', ['pending', 'pending']],
    ['intends and settles it', ['pending', 'settled']],
    ['settles and intends it', ['settled', 'pending']],
  ] as const)('reports a key as not new when one append %s', (_, [first, second]) => {
    const { own } = bench();
    own([]);
    expect(
      own([
        [first, 'a'],
        [second, 'a'],
      ]),
    ).toBe(false);
  });

  test('reports a key as not new after it was settled without an intent', () => {
    const { own } = bench();
    own([['settled', 'a']]);
    expect(own([['pending', 'a']])).toBe(false);
  });

  test('has its own keys: the same key is new in another session', () => {
    const { own } = bench();
    own([['pending', 'a']], 'sess_1');
    expect(own([['pending', 'a']], 'sess_2')).toBe(true);
  });
});

describe('a session that another connection started', () => {
  test('is read once, at its first intent', () => {
    const { own, other, reads } = bench();
    other([['pending', 'old']]);
    own([]);
    own([['settled', 'old']]);
    expect(reads).toEqual([]);
    for (let step = 0; step < 1_000; step += 1) expect(own([['pending', `key_${step}`]])).toBe(true);
    expect(own([['pending', 'old']])).toBe(false);
    expect(reads).toEqual(['sess_1']);
  });

  test('is read again after another connection wrote to it', () => {
    const { own, other, reads } = bench();
    own([['pending', 'a']]);
    other([['pending', 'theirs']]);
    expect(own([['pending', 'theirs']])).toBe(false);
    expect(own([['pending', 'b']])).toBe(true);
    expect(reads).toEqual(['sess_1']);
  });

  test('is read again at a later intent after another connection wrote to it', () => {
    const { own, other } = bench();
    own([['pending', 'a']]);
    other([['pending', 'theirs']]);
    own([]);
    expect(own([['pending', 'theirs']])).toBe(false);
  });
});

describe('the size of the cache', () => {
  test("the oldest session's keys are dropped first and read again when it continues", () => {
    const { own, reads } = bench(8);
    for (const session of ['sess_1', 'sess_2', 'sess_3'])
      own(
        [
          ['pending', 'a'],
          ['pending', 'b'],
        ],
        session,
      );
    expect(own([['pending', 'c']], 'sess_3')).toBe(true);
    expect(own([['pending', 'c']], 'sess_2')).toBe(true);
    expect(reads).toEqual([]);
    expect(own([['pending', 'a']], 'sess_1')).toBe(false);
    expect(reads).toEqual(['sess_1']);
  });

  test('a session larger than the limit is kept while it is written', () => {
    const { own, reads } = bench(4);
    for (let step = 0; step < 100; step += 1) expect(own([['pending', `key_${step}`]])).toBe(true);
    expect(own([['pending', 'key_0']])).toBe(false);
    expect(reads).toEqual([]);
  });

  test('sessions without keys count too', () => {
    const { own, reads } = bench(10);
    for (let session = 0; session < 20; session += 1) own([], `sess_${session}`);
    own([['pending', 'a']], 'sess_19');
    expect(reads).toEqual([]);
    own([['pending', 'a']], 'sess_0');
    expect(reads).toEqual(['sess_0']);
  });

  test('an ended session frees its share and is read if it is needed again', () => {
    const { own, keys, reads } = bench(6);
    own(
      [
        ['pending', 'a'],
        ['pending', 'b'],
      ],
      'sess_1',
    );
    keys.drop('sess_1');
    own(
      [
        ['pending', 'a'],
        ['pending', 'b'],
      ],
      'sess_2',
    );
    own([['pending', 'a']], 'sess_3');
    expect(own([['pending', 'c']], 'sess_2')).toBe(true);
    expect(reads).toEqual([]);
    expect(own([['pending', 'a']], 'sess_1')).toBe(false);
    expect(reads).toEqual(['sess_1']);
  });
});

test('after a rollback everything is read again: rolled back keys are new, stored keys are known', () => {
  const { own, keys, reads } = bench();
  own([['pending', 'a']]);
  // For an append that is rolled back and never stored.
  keys.areNew(draft(sha256, { rows: { effects: [effectRow({ session_id: 'sess_1', idempotency_key: 'b' })] } }), null);
  keys.forget();
  expect(own([['pending', 'b']])).toBe(true);
  expect(own([['pending', 'a']])).toBe(false);
  expect(reads).toEqual(['sess_1']);
});

test('forgetting frees the whole cache', () => {
  const { own, keys, reads } = bench(4);
  own([['pending', 'a']], 'sess_1');
  own([['pending', 'a']], 'sess_2');
  keys.forget();
  own([['pending', 'a']], 'sess_3');
  own([['pending', 'a']], 'sess_4');
  expect(own([['pending', 'a']], 'sess_3')).toBe(false);
  expect(reads).toEqual([]);
});
