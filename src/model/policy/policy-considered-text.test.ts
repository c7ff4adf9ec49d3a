/** A decision by `consider` is valid for exactly the text the engine returns. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { callRequest } from '../../../test/policy/requests.ts';
import {
  type Considered,
  type PolicyJudge,
  type PolicyRuling,
  policyDecision,
  withFullRequests,
} from './policy-decision.ts';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const other = (text: string): string => createHash('sha256').update(`other ${text}`).digest('hex');
const PERMIT: PolicyRuling = { effect: 'permit', determining: ['p'], reasons: ['fine'], gates: [], errors: [] };
const FORBID: PolicyRuling = { effect: 'forbid', determining: ['f'], reasons: ['no'], gates: [], errors: [] };
const ANSWER: Considered = Object.freeze({ text: '{"looked":1}', ruling: PERMIT });

const judgeWith = (version: string, consider: PolicyJudge['consider']): PolicyJudge => ({
  version,
  decide: () => FORBID,
  ...(consider === undefined ? {} : { consider }),
});
const look = callRequest();
const pay = callRequest({ resource: { name: 'pay' } });

describe('the considered text of a request', () => {
  test('is decided once per version and hash function', () => {
    const [one, two] = ['v1', 'v2'].map((version) =>
      policyDecision(
        judgeWith(version, () => ANSWER),
        [look],
        hash,
      ),
    );
    expect([one?.version, two?.version]).toEqual(['v1', 'v2']);
    expect(
      policyDecision(
        judgeWith('v1', () => ANSWER),
        [look],
        hash,
      ),
    ).toBe(
      policyDecision(
        judgeWith('v1', () => ANSWER),
        [look],
        hash,
      ),
    );
    expect(
      policyDecision(
        judgeWith('v1', () => ANSWER),
        [look],
        other,
      ).context_hash,
    ).not.toBe(one?.context_hash);
  });

  test('of every call, and nothing else, determines the context hash', () => {
    const texts = (...list: readonly string[]): string => {
      let at = 0;
      const judge = judgeWith('v1', () => ({ text: JSON.stringify(list[at++]), ruling: PERMIT }));
      return policyDecision(
        judge,
        list.map(() => look),
        hash,
      ).context_hash;
    };
    expect(texts('a')).toBe(texts('a'));
    expect(new Set([texts('a'), texts('b'), texts('a', 'b'), texts('a', 'c'), texts('b', 'a')]).size).toBe(5);
  });

  test('is not cached while the engine can still change it', () => {
    const answer = { text: '1', ruling: PERMIT };
    const judge = judgeWith('v1', () => answer);
    expect(policyDecision(judge, [look], hash).effect).toBe('permit');
    answer.ruling = FORBID;
    expect(policyDecision(judge, [look], hash).effect).toBe('forbid');
  });

  test('must be the same for a recorded decision to be reused', () => {
    const recorded = policyDecision(
      judgeWith('v1', () => ANSWER),
      [look],
      hash,
    );
    const judge = judgeWith('v1', () => Object.freeze({ text: '{"looked":2}', ruling: FORBID }));
    expect(policyDecision(judge, [look], hash, recorded).effect).toBe('forbid');
    expect(
      policyDecision(
        judgeWith('v2', () => ANSWER),
        [look],
        hash,
        recorded,
      ).version,
    ).toBe('v2');
  });

  test.each<[string, unknown]>([
    ['permits and reports an error', { text: '1', ruling: { ...PERMIT, errors: ['overflow'] } }],
    ['says something else', { text: '1', ruling: { ...PERMIT, effect: 'allow' } }],
    ['rules on nothing', { text: '1' }],
  ])('an engine that %s counts as forbidding', (_what, answer) => {
    const decision = policyDecision(
      judgeWith('v1', () => answer as Considered),
      [look],
      hash,
    );
    expect(decision).toMatchObject({ effect: 'forbid', gates: [] });
    expect(decision.errors).not.toEqual([]);
  });
});

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['null', null],
  ['no text', { ruling: PERMIT }],
  ['a promise', Promise.resolve({ text: '1', ruling: PERMIT })],
])('falls back to the full request if the engine returns %s from consider', (_what, answer) => {
  const judge: PolicyJudge = { version: 'v1', decide: () => FORBID, consider: () => answer as Considered };
  const fullRequestJudge = { version: 'v1', decide: () => FORBID };
  for (const request of [look, pay])
    expect(policyDecision(judge, [request], hash)).toEqual(policyDecision(fullRequestJudge, [request], hash));
});

class Rules implements PolicyJudge {
  readonly version = 'v1';
  readonly #ruling = PERMIT;
  decide(): PolicyRuling {
    return this.#ruling;
  }
  consider(): Considered {
    return { text: '1', ruling: this.#ruling };
  }
}

test('a judge with private fields can decide on the full request', () => {
  expect(policyDecision(withFullRequests(new Rules()), [look], hash).effect).toBe('permit');
});
