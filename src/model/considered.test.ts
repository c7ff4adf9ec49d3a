/** What an engine says it looked at decides for exactly that. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { callRequest } from '../../test/policy/requests.ts';
import { askedWhole, type Considered, type PolicyJudge, type PolicyRuling, policyDecision } from './policy-decision.ts';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const other = (text: string): string => createHash('sha256').update(`other ${text}`).digest('hex');
const PERMIT: PolicyRuling = { effect: 'permit', determining: ['p'], reasons: ['fine'], gates: [], errors: [] };
const FORBID: PolicyRuling = { effect: 'forbid', determining: ['f'], reasons: ['no'], gates: [], errors: [] };
const SAID: Considered = Object.freeze({ text: '{"looked":1}', ruling: PERMIT });

const telling = (version: string, consider: PolicyJudge['consider']): PolicyJudge => ({
  version,
  decide: () => FORBID,
  ...(consider === undefined ? {} : { consider }),
});
const look = callRequest();
const pay = callRequest({ resource: { name: 'pay' } });

describe('what was looked at', () => {
  test('is decided once for each version and each way of hashing', () => {
    const [one, two] = ['v1', 'v2'].map((version) =>
      policyDecision(
        telling(version, () => SAID),
        [look],
        hash,
      ),
    );
    expect([one?.version, two?.version]).toEqual(['v1', 'v2']);
    expect(
      policyDecision(
        telling('v1', () => SAID),
        [look],
        hash,
      ),
    ).toBe(
      policyDecision(
        telling('v1', () => SAID),
        [look],
        hash,
      ),
    );
    expect(
      policyDecision(
        telling('v1', () => SAID),
        [look],
        other,
      ).context_hash,
    ).not.toBe(one?.context_hash);
  });

  test('is what the decision names: of every call, and of nothing else', () => {
    const texts = (...list: readonly string[]): string => {
      let at = 0;
      const judge = telling('v1', () => ({ text: JSON.stringify(list[at++]), ruling: PERMIT }));
      return policyDecision(
        judge,
        list.map(() => look),
        hash,
      ).context_hash;
    };
    expect(texts('a')).toBe(texts('a'));
    expect(new Set([texts('a'), texts('b'), texts('a', 'b'), texts('a', 'c'), texts('b', 'a')]).size).toBe(5);
  });

  test('is not remembered where whoever said it can still change it', () => {
    const said = { text: '1', ruling: PERMIT };
    const judge = telling('v1', () => said);
    expect(policyDecision(judge, [look], hash).effect).toBe('permit');
    said.ruling = FORBID;
    expect(policyDecision(judge, [look], hash).effect).toBe('forbid');
  });

  test('a recorded decision stands only for the same of it', () => {
    const recorded = policyDecision(
      telling('v1', () => SAID),
      [look],
      hash,
    );
    const judge = telling('v1', () => Object.freeze({ text: '{"looked":2}', ruling: FORBID }));
    expect(policyDecision(judge, [look], hash, recorded).effect).toBe('forbid');
    expect(
      policyDecision(
        telling('v2', () => SAID),
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
  ])('an engine that %s has forbidden', (_what, said) => {
    const decision = policyDecision(
      telling('v1', () => said as Considered),
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
])('an engine that tells %s of what it looked at is asked about the whole', (_what, said) => {
  const judge: PolicyJudge = { version: 'v1', decide: () => FORBID, consider: () => said as Considered };
  const whole = { version: 'v1', decide: () => FORBID };
  for (const request of [look, pay])
    expect(policyDecision(judge, [request], hash)).toEqual(policyDecision(whole, [request], hash));
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

test('an engine with something of its own can be asked about the whole, too', () => {
  expect(policyDecision(askedWhole(new Rules()), [look], hash).effect).toBe('permit');
});
