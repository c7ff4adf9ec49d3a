/** A stored checkpoint stays small in a long run and still commits to the full history of the run. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readDocument } from '../../../test/documents/examples.ts';
import { deepFreeze } from '../json/freeze.ts';
import type { Hash } from '../json/hash.ts';
import { parse } from '../json/parse.ts';
import { expandCheckpoints, StoredCheckpoint } from './checkpoint.ts';
import { type History, type HistoryRef, historyBetween, NO_HISTORY, nextHistory } from './history.ts';

const hash: Hash = (text) => createHash('sha256').update(text).digest('hex');
const lists: History = deepFreeze({
  tool_transcripts: ['tr_1', 'tr_2', 'tr_3'],
  evidence_refs: ['e1', 'e2'],
  step_scores: ['s1', 's2'].map((step_id) => ({ step_id, scores: { policy: 1, utility: 0.5 } })),
});

const FIRST = { tool_transcripts: 1, evidence_refs: 1, step_scores: 0 };
const SECOND = { tool_transcripts: 2, evidence_refs: 1, step_scores: 1 };

/** Two checkpoints of a run; the second covers more history than the first. */
function stored(): readonly StoredCheckpoint[] {
  const upto = (counts: typeof FIRST): HistoryRef => ({ ...counts, root: '' });
  const first = nextHistory(hash, NO_HISTORY, historyBetween(lists, NO_HISTORY, upto(FIRST)));
  const second = nextHistory(hash, first, historyBetween(lists, first, upto(SECOND)));
  return [first, second].map((history, index) =>
    parse(
      StoredCheckpoint,
      { ...readDocument('stored-checkpoint'), sequence: index + 1, history },
      'checkpoint_corrupt',
    ),
  );
}

test('expands a checkpoint to the history at that time, although the run continued', () => {
  const { history: _, ...rest } = stored()[1] as StoredCheckpoint;
  expect(expandCheckpoints(stored(), lists, hash)[1]).toEqual({
    ...rest,
    tool_transcripts: ['tr_1', 'tr_2'],
    evidence_refs: ['e1'],
    step_scores: [{ step_id: 's1', scores: { policy: 1, utility: 0.5 } }],
  });
});

test.each([
  ['a transcript was exchanged', { ...lists, tool_transcripts: ['tr_1', 'tr_9', 'tr_3'] }],
  ['transcripts changed places', { ...lists, tool_transcripts: ['tr_2', 'tr_1'] }],
  ['evidence is gone', { ...lists, evidence_refs: [] }],
  ['a score was improved', { ...lists, step_scores: [{ step_id: 's1', scores: { policy: 1 } }] }],
])('refuses to expand when %s', (_, changed) => {
  expect(() => expandCheckpoints(stored(), changed, hash)).toThrow(
    expect.objectContaining({ code: 'checkpoint_corrupt', path: '/history' }),
  );
});

test('refuses a checkpoint if the one before it is missing', () => {
  expect(() => expandCheckpoints(stored().slice(1), lists, hash)).toThrow(
    expect.objectContaining({ code: 'checkpoint_corrupt' }),
  );
});

test('a stored checkpoint grows with a long run only by the digits of its counts', () => {
  const size = (tool_transcripts: readonly string[]): number =>
    JSON.stringify(nextHistory(hash, NO_HISTORY, { tool_transcripts, evidence_refs: [], step_scores: [] })).length;
  const many = Array.from({ length: 1_000 }, (_, index) => `tr_${index}`);
  expect(size(many) - size(['tr_1'])).toBe('1000'.length - '1'.length);
});

test('two different histories have different roots', () => {
  const names = fc.array(fc.stringMatching(/^[a-z0-9_]{1,4}$/), { maxLength: 4 });
  const history = fc.record({ tool_transcripts: names, evidence_refs: names, step_scores: fc.constant([]) });
  fc.assert(
    fc.property(history, history, (a, b) => {
      const same = JSON.stringify(a) === JSON.stringify(b);
      expect(nextHistory(hash, NO_HISTORY, a).root === nextHistory(hash, NO_HISTORY, b).root).toBe(same);
    }),
  );
});
