import { hash as digest } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Hash } from '../json/hash.ts';
import { type Frame, GENESIS, sealFrame, type UnsealedFrame, verifyChain } from './frame.ts';

const sha256: Hash = (text) => digest('sha256', text, 'hex');

const unsealed = fc.record<UnsealedFrame>({
  session: fc.string(),
  seq: fc.integer({ min: 1 }),
  at: fc.nat(),
  writer: fc.string(),
  events: fc.string(),
  prev: fc.constant(GENESIS),
});

function chain(texts: readonly string[]): readonly Frame[] {
  const frames: Frame[] = [];
  for (const [index, events] of texts.entries()) {
    const prev = frames.at(-1)?.hash ?? GENESIS;
    frames.push(sealFrame({ session: 'sess_1', seq: index + 1, at: index, writer: 'w_1', events, prev }, sha256));
  }
  return frames;
}

const texts = fc.array(fc.json(), { minLength: 1, maxLength: 8 });

describe('sealing', () => {
  test('keeps the hash stable, so that a journal written today verifies in later versions', () => {
    const frame = sealFrame(
      {
        session: 'sess_1',
        seq: 1,
        at: 1_700_000_000_000,
        writer: 'w_1',
        events: '[{"type":"time_passed"}]',
        prev: GENESIS,
      },
      sha256,
    );
    expect(frame.hash).toBe('sha256:0474fb80b2152a985c117946e5211963694aa3a9b27eab41d45065b8aa96dee4');
  });

  test('hashes different frames over different texts', () => {
    const hashed = (frame: UnsealedFrame): string => {
      let seen = '';
      sealFrame(frame, (text) => {
        seen = text;
        return '';
      });
      return seen;
    };
    fc.assert(
      fc.property(unsealed, unsealed, (a, b) => {
        const isSame = JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
        expect(hashed(a) === hashed(b)).toBe(isSame);
      }),
    );
    const base = { session: 's', seq: 1, at: 1, prev: GENESIS } as const;
    const shifted = hashed({ ...base, writer: 'w"]\nx', events: '[]' });
    expect(shifted).not.toBe(hashed({ ...base, writer: 'w', events: 'x"]\n[]' }));
  });

  test('a sealed frame cannot be changed', () => {
    const [frame] = chain(['[]']);
    expect(() => Object.assign(frame as Frame, { events: '[1]' })).toThrow(TypeError);
  });
});

describe('verifying a chain', () => {
  test('accepts frames that were sealed in order, from the first frame and from any later one', () => {
    fc.assert(
      fc.property(texts, (list) => {
        const frames = chain(list);
        expect(verifyChain(frames, sha256)).toBeNull();
        frames.forEach((frame, index) => {
          expect(verifyChain(frames.slice(index + 1), sha256, { seq: frame.seq, hash: frame.hash })).toBeNull();
        });
      }),
    );
    expect(verifyChain([], sha256)).toBeNull();
  });

  test('reports a change of any field of any frame at that frame', () => {
    const changes: readonly Partial<Frame>[] = [
      { session: 'sess_2' },
      { seq: 99 },
      { at: 12_345 },
      { writer: 'w_2' },
      { events: '["forged"]' },
      { prev: `sha256:${'0'.repeat(64)}` },
      { hash: `sha256:${'0'.repeat(64)}` },
    ];
    fc.assert(
      fc.property(texts, fc.nat(), fc.constantFrom(...changes), (list, place, change) => {
        const frames = chain(list);
        const index = place % frames.length;
        const forged = frames.with(index, { ...(frames[index] as Frame), ...change });
        // If the first frame names another session, the later frames are the ones that differ from it.
        const expected = change.session !== undefined && index === 0 && frames.length > 1 ? [1, 2] : [index + 1];
        expect(expected).toContain(verifyChain(forged, sha256)?.seq);
      }),
    );
  });

  test('reports a frame that is missing, duplicated or moved', () => {
    const frames = chain(['[1]', '[2]', '[3]', '[4]']);
    const [one, two, three, four] = frames as [Frame, Frame, Frame, Frame];
    expect(verifyChain([two, three], sha256)).toEqual({ seq: 1, why: 'wrong_place' });
    expect(verifyChain([one, three, four], sha256)).toEqual({ seq: 2, why: 'wrong_place' });
    expect(verifyChain([one, one, two], sha256)).toEqual({ seq: 2, why: 'wrong_place' });
    expect(verifyChain([one, three, two, four], sha256)).toEqual({ seq: 2, why: 'wrong_place' });
    const renumbered = [one, { ...three, seq: 2 }, { ...two, seq: 3 }, four];
    expect(verifyChain(renumbered, sha256)).toEqual({ seq: 2, why: 'wrong_link' });
  });

  test('reports a forged frame with a valid hash at the link of the next frame', () => {
    const [one, two] = chain(['[1]', '[2]']) as [Frame, Frame];
    const forged = sealFrame({ ...one, events: '["forged"]' }, sha256);
    expect(verifyChain([forged, two], sha256)).toEqual({ seq: 2, why: 'wrong_link' });
  });
});
