/** Proves that a checkpoint stays small however long the run is, and still stands for everything gathered so far. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readDocument } from '../../test/documents/examples.ts';
import { type CheckpointLists, expandCheckpoint, StoredCheckpoint, scoreText } from './checkpoint.ts';
import { deepFreeze } from './freeze.ts';
import type { Hash } from './hash.ts';
import { EMPTY_ROOT, type ListRef, matchesList, nextRoot } from './list-ref.ts';
import { parse } from './parse.ts';

const hash: Hash = (text) => createHash('sha256').update(text).digest('hex');
const refOf = (items: readonly string[]): ListRef => ({
  upto: items.length,
  root: items.reduce((root, item) => nextRoot(hash, root, item), EMPTY_ROOT),
});

const lists: CheckpointLists = deepFreeze({
  tool_transcripts: ['tr_1', 'tr_2', 'tr_3'],
  evidence_refs: ['e1', 'e2'],
  step_scores: ['s1', 's2'].map((step_id) => ({ step_id, scores: { policy: 1, utility: 0.5 } })),
});

const stored = (): StoredCheckpoint =>
  parse(
    StoredCheckpoint,
    {
      ...readDocument('stored-checkpoint'),
      tool_transcripts: refOf(['tr_1', 'tr_2']),
      evidence_refs: refOf(['e1']),
      step_scores: refOf(lists.step_scores.slice(0, 1).map(scoreText)),
    },
    'checkpoint_corrupt',
  );

test('expands to what had been gathered then, although the run went on', () => {
  const expanded = expandCheckpoint(stored(), lists, hash);
  expect(expanded).toEqual({
    ...stored(),
    tool_transcripts: ['tr_1', 'tr_2'],
    evidence_refs: ['e1'],
    step_scores: [{ step_id: 's1', scores: { policy: 1, utility: 0.5 } }],
  });
});

test.each([
  ['a transcript was exchanged', { ...lists, tool_transcripts: ['tr_1', 'tr_9', 'tr_3'] }, '/tool_transcripts'],
  ['transcripts changed places', { ...lists, tool_transcripts: ['tr_2', 'tr_1'] }, '/tool_transcripts'],
  ['evidence is gone', { ...lists, evidence_refs: [] }, '/evidence_refs'],
  ['a score was improved', { ...lists, step_scores: [{ step_id: 's1', scores: { policy: 1 } }] }, '/step_scores'],
])('refuses to expand when %s', (_, changed, path) => {
  expect(() => expandCheckpoint(stored(), changed, hash)).toThrow(
    expect.objectContaining({ code: 'checkpoint_corrupt', path }),
  );
});

test('a stored checkpoint of a long run is no longer than one of a short run', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => `tr_${index}`);
  const size = (items: readonly string[]): number =>
    JSON.stringify({ ...stored(), tool_transcripts: refOf(items) }).length;
  expect(size(many) - size(['tr_1'])).toBe('1000'.length - '1'.length);
});

test('a root stands for one list only', () => {
  const list = fc.array(fc.stringMatching(/^[a-z0-9_]{1,4}$/), { maxLength: 6 });
  fc.assert(
    fc.property(list, list, (a, b) => {
      expect(matchesList(refOf(a), b, hash)).toBe(JSON.stringify(a) === JSON.stringify(b));
    }),
  );
});
