/** Proves the grounding ladder: one rung at a time, and only what was verified, and confirmed, becomes state. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { deepFreeze } from '../model/freeze.ts';
import type { Address } from '../model/hash.ts';
import { Attempted, Committed, Intended, Observed, RUNGS, Verified } from '../model/observation.ts';
import { parse } from '../model/parse.ts';
import { TOOL_OUTCOMES } from '../model/tool.ts';
import { attempt, commit, observe, verify } from './grounding-ladder.ts';

const hash = (digit: string): Address => `sha256:${digit.repeat(64)}`;

const intended: Intended = deepFreeze({
  rung: 'intended',
  step_id: 's1',
  tool: 'records.create',
  args: { name: 'Ada' },
  args_hash: hash('a'),
  intended_at: 10,
});
const dispatch = {
  call_id: 'call_1',
  idempotency_key: 'key_1',
  attempt: 1,
  timeout_policy: { timeout_ms: 5000, retries_max: 2 },
  dispatch_before: 1000,
};
const attempted = deepFreeze(attempt(intended, dispatch, 20));
const observed = deepFreeze(observe(attempted, { outcome: 'ok', raw: hash('b'), trusted: true }, 30));
const verified = deepFreeze(verify(observed, { confirmed: ['/id'], validator_id: 'output_schema@1' }, 40));
const entry = deepFreeze({
  payload: { id: 'rec_7', note: 'looks fine' },
  evidence_id: 'ev_1',
  version: 4,
  trace_pointer: hash('c'),
});

const skips = expect.objectContaining({ code: 'illegal_grounding_transition' });

describe('the ladder', () => {
  test('is climbed rung by rung or not at all', () => {
    const committed = commit(verified, entry, 50);
    expect([intended, attempted, observed, verified, committed].map((record) => record.rung)).toEqual(RUNGS);
    expect([
      intended.intended_at,
      attempted.attempted_at,
      observed.observed_at,
      verified.verified_at,
      committed.committed_at,
    ]).toEqual([10, 20, 30, 40, 50]);
    const answer = { outcome: 'ok', raw: hash('b'), trusted: true } as const;
    expect(() => observe(intended as unknown as Attempted, answer, 30)).toThrowError(skips);
    expect(() => verify(attempted as unknown as Observed, { confirmed: 'all', validator_id: 'v@1' }, 40)).toThrowError(
      skips,
    );
    expect(() => attempt(observed as unknown as Intended, dispatch, 40)).toThrowError(skips);
  });

  test('every rung is what the model says it is', () => {
    expect(parse(Intended, intended, 'event_invalid')).toEqual(intended);
    expect(parse(Attempted, attempted, 'event_invalid')).toEqual(attempted);
    expect(parse(Observed, observed, 'event_invalid')).toEqual(observed);
    expect(parse(Verified, verified, 'event_invalid')).toEqual(verified);
    expect(parse(Committed, commit(verified, entry, 50), 'event_invalid').rung).toBe('committed');
  });

  test('time does not run backwards on it', () => {
    const backwards = expect.objectContaining({ code: 'time_went_backwards' });
    expect(() => attempt(intended, dispatch, 9)).toThrowError(backwards);
    expect(() => commit(verified, entry, Number.NaN)).toThrowError(backwards);
  });

  test('an attempt tells request, tool, arguments and timeout before there is an answer', () => {
    expect(attempted).toMatchObject({
      call_id: 'call_1',
      tool: 'records.create',
      args_hash: hash('a'),
      timeout_policy: { timeout_ms: 5000, retries_max: 2 },
    });
  });

  test.each(TOOL_OUTCOMES)('%s stays what it was on every rung', (outcome) => {
    const seen = observe(attempted, { outcome, raw: hash('b'), detail: 'as returned', trusted: false }, 30);
    const confirmed = verify(seen, { confirmed: 'all', validator_id: 'failure@1' }, 40);
    expect(seen).toMatchObject({ outcome, raw: hash('b'), detail: 'as returned', source: 'records.create' });
    expect(confirmed.raw).toBe(seen.raw);
    expect(commit(confirmed, { ...entry, payload: null }, 50)).toMatchObject({ outcome, value: null, trusted: false });
  });
});

describe('commit', () => {
  test('takes verified records and nothing else', () => {
    const assumed = { ...verified, rung: 'assumed' };
    for (const record of [intended, attempted, observed, assumed]) {
      expect(() => commit(record as unknown as Verified, entry, 50)).toThrowError(skips);
    }
    expect(entry.version).toBe(4);
    expect(commit(verified, entry, 50).state_version).toBe(5);
  });

  test('says version, time, source, validator and where to look it up', () => {
    expect(commit(verified, entry, 50)).toEqual({
      rung: 'committed',
      call_id: 'call_1',
      outcome: 'ok',
      value: { id: 'rec_7' },
      evidence_id: 'ev_1',
      state_version: 5,
      validator_id: 'output_schema@1',
      source: 'records.create',
      trusted: true,
      trace_pointer: hash('c'),
      committed_at: 50,
    });
  });

  test('needs somebody who vouches for it', () => {
    expect(() => commit({ ...verified, validator_id: '' }, entry, 50)).toThrowError(
      expect.objectContaining({ code: 'grounding_violation' }),
    );
  });

  const rungs = { intended, attempted, observed, verified, committed: commit(verified, entry, 50) };
  test.prop([fc.constantFrom(...RUNGS), fc.constantFrom(...RUNGS)])('no record passes for another', (from, as) => {
    const record = rungs[from];
    const climb = {
      intended: () => attempt(record as Intended, dispatch, 60),
      attempted: () => observe(record as Attempted, { outcome: 'ok', raw: hash('b'), trusted: true }, 60),
      observed: () => verify(record as Observed, { confirmed: 'all', validator_id: 'v@1' }, 60),
      verified: () => commit(record as Verified, entry, 60),
      committed: () => record,
    }[as];
    if (from === as || as === 'committed') expect(climb()).toBeDefined();
    else expect(climb).toThrowError(skips);
  });
});
