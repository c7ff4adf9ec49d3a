/** A ruling on a considered text is valid for exactly that text. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { callRequest } from '../../../test/policy/requests.ts';
import {
  type PolicyDecision,
  type PolicyJudge,
  type PolicyRuling,
  policyDecision,
  rulingOnText,
  withFullRequests,
} from './policy-decision.ts';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const other = (text: string): string => createHash('sha256').update(`other ${text}`).digest('hex');
const PERMIT: PolicyRuling = { effect: 'permit', determining: ['p'], reasons: ['fine'], gates: [], errors: [] };
const FORBID: PolicyRuling = { effect: 'forbid', determining: ['f'], reasons: ['no'], gates: [], errors: [] };
const ON_TEXT = rulingOnText('{"looked":1}', PERMIT);

const judging = (version: string, decide: (tool: string) => unknown): PolicyJudge => ({
  version,
  decide: ({ resource }) => decide(resource.name) as PolicyRuling,
});
const look = callRequest();
const pay = callRequest({ resource: { name: 'pay' } });
const decided = (judge: PolicyJudge, ...requests: Parameters<typeof policyDecision>[1]): PolicyDecision =>
  policyDecision(judge, requests, hash);

describe('the considered text of a request', () => {
  test('is decided once per version and hash function', () => {
    const [one, two] = ['v1', 'v2'].map((version) => judging(version, () => ON_TEXT)) as [PolicyJudge, PolicyJudge];
    const first = decided(one, look);
    expect([first.version, decided(two, look).version]).toEqual(['v1', 'v2']);
    expect(decided(one, look)).toBe(decided(one, look));
    expect(policyDecision(one, [look], other).context_hash).toBe(`sha256:${other('[{"looked":1}]')}`);
  });

  test('of every call, and nothing else, determines the context hash', () => {
    const texts = (...list: readonly string[]): string => {
      let at = 0;
      const judge = judging('v1', () => rulingOnText(JSON.stringify(list[at++]), PERMIT));
      return decided(judge, ...list.map(() => look)).context_hash;
    };
    expect(texts('a')).toBe(texts('a'));
    expect(new Set([texts('a'), texts('b'), texts('a', 'b'), texts('a', 'c'), texts('b', 'a')]).size).toBe(5);
  });

  test('counts only if the ruling on every inner call has one', () => {
    const half = judging('v1', (tool) => (tool === 'pay' ? PERMIT : ON_TEXT));
    const full = withFullRequests(judging('v1', () => PERMIT));
    expect(decided(half, look, pay)).toEqual(decided(full, look, pay));
    expect(decided(half, look)).not.toEqual(decided(full, look));
  });

  test('must be the same for a recorded decision to be reused', () => {
    const recorded = decided(
      judging('v1', () => ON_TEXT),
      look,
    );
    const judge = judging('v1', () => rulingOnText('{"looked":2}', FORBID));
    expect(policyDecision(judge, [look], hash, recorded).effect).toBe('forbid');
    const later = judging('v2', () => ON_TEXT);
    expect(policyDecision(later, [look], hash, recorded).version).toBe('v2');
  });

  test('is lost with any change of the ruling', () => {
    const stricter = judging('v1', () => ({ ...ON_TEXT, reasons: ['fine today'] }));
    expect(decided(stricter, look).context_hash).toBe(decided(withFullRequests(stricter), look).context_hash);
    expect(() => Object.assign(ON_TEXT, { effect: 'forbid' })).toThrow(TypeError);
  });

  test.each<[string, unknown]>([
    ['permits and reports an error', rulingOnText('1', { ...PERMIT, errors: ['overflow'] })],
    ['has another effect', rulingOnText('1', { ...PERMIT, effect: 'allow' as never })],
    ['is a promise', Promise.resolve(ON_TEXT)],
    ['is missing', undefined],
  ])('a ruling that %s forbids', (_case, ruling) => {
    const decision = decided(
      judging('v1', () => ruling),
      look,
    );
    expect(decision).toMatchObject({ effect: 'forbid', gates: [] });
    expect(decision.errors).not.toEqual([]);
  });
});

class Rules implements PolicyJudge {
  readonly version = 'v1';
  readonly #ruling = ON_TEXT;
  decide(): PolicyRuling {
    return this.#ruling;
  }
}

test('a judge with private fields can decide on the full request', () => {
  expect(decided(withFullRequests(new Rules()), look).effect).toBe('permit');
  expect(decided(withFullRequests(new Rules()), look)).not.toEqual(decided(withFullRequests(new Rules()), pay));
});
