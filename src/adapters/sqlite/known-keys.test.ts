/** Whether something was ever intended before is told from memory: never wrongly that it was not, and without reading twice. */
import { describe, expect, test } from 'vitest';
import type { Frame } from '../../model/frame.ts';
import { draft } from '../../testing/contracts/journal/draft.ts';
import { effectRow } from '../../testing/contracts/journal/rows.ts';
import { sha256 } from '../node/sha256.ts';
import { knownKeys } from './known-keys.ts';

type Lines = readonly (readonly ['pending' | 'settled', string])[];

/** A store of sessions that only counts how often it is read. */
function bench(max = 100_000) {
  const stored = new Map<string, { readonly frame: Frame; readonly keys: Set<string> }>();
  const reads: string[] = [];
  const keys = knownKeys(({ head_hash }) => {
    const [session, found] = [...stored].find(([, { frame }]) => frame.hash === head_hash) ?? ['nobody'];
    reads.push(session);
    return found?.keys ?? [];
  }, max);
  /** Stores an append; `told` is what this connection says of it, or nothing where another one wrote it. */
  const write = (session: string, lines: Lines, isOwn: boolean): boolean | null => {
    const before = stored.get(session);
    const effects = lines.map(([state, idempotency_key]) => effectRow({ session_id: session, state, idempotency_key }));
    const append = draft(sha256, { session, ...(before && { after: before.frame }), rows: { effects } });
    const head = before === undefined ? null : { head_hash: before.frame.hash, last_row: before.frame.seq };
    const told = isOwn ? keys.areNew(append, head) : null;
    const all = new Set([...(before?.keys ?? []), ...lines.map(([, key]) => key)]);
    stored.set(session, { frame: append.frame, keys: all });
    return told;
  };
  return {
    keys,
    reads,
    own: (lines: Lines, session = 'sess_1') => write(session, lines, true),
    other: (lines: Lines, session = 'sess_1') => write(session, lines, false),
  };
}

describe('a session that this connection began', () => {
  test('is known from its first frame on: what it intends is new once, and is never read', () => {
    const { own, reads } = bench();
    expect([own([]), own([['pending', 'a']]), own([['settled', 'a']]), own([['pending', 'a']])]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(reads).toEqual([]);
  });

  test('settles one call and intends the next in one append, and the next is new', () => {
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
  ] as const)('has nothing new under a key where one append %s', (_, [first, second]) => {
    const { own } = bench();
    own([]);
    expect(
      own([
        [first, 'a'],
        [second, 'a'],
      ]),
    ).toBe(false);
  });

  test('has settled what it never intended: that is not new afterwards', () => {
    const { own } = bench();
    own([['settled', 'a']]);
    expect(own([['pending', 'a']])).toBe(false);
  });

  test('has keys of its own: the same key in another session is new there', () => {
    const { own } = bench();
    own([['pending', 'a']], 'sess_1');
    expect(own([['pending', 'a']], 'sess_2')).toBe(true);
  });
});

describe('a session that somebody else began', () => {
  test('is read once, when it first intends something, however far it goes from there', () => {
    const { own, other, reads } = bench();
    other([['pending', 'old']]);
    own([]);
    own([['settled', 'old']]);
    expect(reads).toEqual([]);
    for (let step = 0; step < 1_000; step += 1) expect(own([['pending', `key_${step}`]])).toBe(true);
    expect(own([['pending', 'old']])).toBe(false);
    expect(reads).toEqual(['sess_1']);
  });

  test('is read again after somebody else has driven it in between', () => {
    const { own, other, reads } = bench();
    own([['pending', 'a']]);
    other([['pending', 'theirs']]);
    expect(own([['pending', 'theirs']])).toBe(false);
    expect(own([['pending', 'b']])).toBe(true);
    expect(reads).toEqual(['sess_1']);
  });

  test('is read again where nothing was intended right after somebody else had driven it', () => {
    const { own, other } = bench();
    own([['pending', 'a']]);
    other([['pending', 'theirs']]);
    own([]);
    expect(own([['pending', 'theirs']])).toBe(false);
  });
});

describe('what is kept is bounded', () => {
  test('the keys of the oldest session go first, and are read again when it goes on', () => {
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

  test('a session that is larger than all that is kept is kept itself, and not read at every step', () => {
    const { own, reads } = bench(4);
    for (let step = 0; step < 100; step += 1) expect(own([['pending', `key_${step}`]])).toBe(true);
    expect(own([['pending', 'key_0']])).toBe(false);
    expect(reads).toEqual([]);
  });

  test('sessions without any key count as well', () => {
    const { own, reads } = bench(10);
    for (let session = 0; session < 20; session += 1) own([], `sess_${session}`);
    own([['pending', 'a']], 'sess_19');
    expect(reads).toEqual([]);
    own([['pending', 'a']], 'sess_0');
    expect(reads).toEqual(['sess_0']);
  });

  test('a session that is over leaves its room to others, and is read if it is asked for after all', () => {
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

test('after anything that was undone all is read again: what was undone is new, and what was not is known', () => {
  const { own, keys, reads } = bench();
  own([['pending', 'a']]);
  // Looked at for an append that is undone and so never stored.
  keys.areNew(draft(sha256, { rows: { effects: [effectRow({ session_id: 'sess_1', idempotency_key: 'b' })] } }), null);
  keys.forget();
  expect(own([['pending', 'b']])).toBe(true);
  expect(own([['pending', 'a']])).toBe(false);
  expect(reads).toEqual(['sess_1']);
});

test('what was forgotten leaves its room to others', () => {
  const { own, keys, reads } = bench(4);
  own([['pending', 'a']], 'sess_1');
  own([['pending', 'a']], 'sess_2');
  keys.forget();
  own([['pending', 'a']], 'sess_3');
  own([['pending', 'a']], 'sess_4');
  expect(own([['pending', 'a']], 'sess_3')).toBe(false);
  expect(reads).toEqual([]);
});
