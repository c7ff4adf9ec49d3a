/** Recorded decisions are reused only for the same request, and failed answers never permit anything. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { callRequest } from '../../../test/policy/requests.ts';
import { type PolicyJudge, type PolicyRuling, policyDecision, whyForbidden, withShadow } from './policy-decision.ts';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const PERMIT: PolicyRuling = { effect: 'permit', determining: ['p'], reasons: ['fine'], gates: [], errors: [] };
const FORBID: PolicyRuling = { effect: 'forbid', determining: ['f'], reasons: ['no'], gates: [], errors: [] };

interface Counted extends PolicyJudge {
  readonly asked: () => number;
}

function judging(version: string, rule: (tool: string) => unknown): Counted {
  let asked = 0;
  const decide: PolicyJudge['decide'] = ({ resource }) => {
    asked += 1;
    return rule(resource.name) as PolicyRuling;
  };
  return { version, decide, asked: () => asked };
}

const look = callRequest();
const pay = callRequest({ resource: { name: 'pay' } });

describe('a recorded decision', () => {
  test('is reused for the same request', () => {
    const judge = judging('v1', () => PERMIT);
    const first = policyDecision(judge, [look], hash);
    expect(policyDecision(judge, [callRequest()], hash, first)).toBe(first);
  });

  test('is not reused if the engine now forbids the same request', () => {
    const first = policyDecision(
      judging('v1', () => PERMIT),
      [look],
      hash,
    );
    const judge = judging('v1', () => FORBID);
    expect(policyDecision(judge, [look], hash, first)).toMatchObject({ effect: 'forbid', reasons: ['no'] });
  });

  test.each([
    ['another version of the policies', 'v2', look],
    ['another identity', 'v1', callRequest({ principal: { roles: ['lead'] } })],
    ['another tool', 'v1', pay],
    ['other arguments', 'v1', callRequest({ context: { arguments: { a: 1 } } })],
    ['another budget', 'v1', callRequest({ context: { remaining: { tool_calls: 4 } } })],
    ['an approval that has come', 'v1', callRequest({ context: { approvals: ['GATE_A'] } })],
    ['other evidence', 'v1', callRequest({ context: { evidence: { account: { holder: 'bob' } } } })],
  ])('is not reused for %s', (_what, version, request) => {
    const before = policyDecision(
      judging('v1', () => PERMIT),
      [look],
      hash,
    );
    const judge = judging(version, () => FORBID);
    expect(policyDecision(judge, [request], hash, before)).toMatchObject({ effect: 'forbid', version });
    expect(judge.asked()).toBe(1);
  });
});

describe('an engine that', () => {
  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new RangeError('out of memory');
      },
    ],
    [
      'throws nothing one can show',
      () => {
        throw Object.create(null);
      },
    ],
    ['says nothing', () => undefined],
    ['says something else', () => ({ ...PERMIT, effect: 'allow' })],
    ['permits and reports an error', () => ({ ...PERMIT, errors: ['overflow'] })],
    ['never answers', () => Promise.resolve(PERMIT)],
  ])('%s counts as forbidding', (_what, rule) => {
    const decision = policyDecision(judging('v1', rule), [look], hash);
    expect(decision).toMatchObject({ effect: 'forbid', gates: [] });
    expect(decision.errors).not.toEqual([]);
    expect(whyForbidden(decision)).not.toBe('');
  });
});

test('combines the rulings on a call and its inner call: one forbid forbids, and all gates apply', () => {
  const gated = (gate: string): PolicyRuling => ({ ...PERMIT, gates: [gate] });
  const both = judging('v1', (tool) => gated(tool === 'pay' ? 'GATE_B' : 'GATE_A'));
  expect(policyDecision(both, [look, pay], hash)).toMatchObject({ effect: 'permit', gates: ['GATE_A', 'GATE_B'] });
  const inner = judging('v1', (tool) => (tool === 'pay' ? FORBID : PERMIT));
  expect(policyDecision(inner, [look, pay], hash)).toMatchObject({ effect: 'forbid', determining: ['f'] });
  expect(policyDecision(both, [], hash)).toMatchObject({ effect: 'forbid' });
});

describe('a candidate', () => {
  const active = policyDecision(
    judging('v1', () => PERMIT),
    [look],
    hash,
  );

  test('that agrees is not recorded', () => {
    const agreeing = judging('v2', () => ({ ...PERMIT, determining: ['another'] }));
    expect(withShadow(active, agreeing, [look])).toEqual(active);
  });

  test.each([
    ['would forbid', FORBID],
    ['would ask somebody', { ...PERMIT, gates: ['GATE_A'] }],
  ])('that %s is recorded and changes nothing', (_what, ruling) => {
    const shadowed = withShadow(
      active,
      judging('v2', () => ruling),
      [look],
    );
    expect(shadowed).toEqual({ ...active, shadow: { ...ruling, version: 'v2' } });
  });

  test('that fails does not affect the decision', () => {
    const failing = judging('v2', () => {
      throw new Error('broken');
    });
    expect(withShadow(active, failing, [look])).toMatchObject({ effect: 'permit', shadow: { effect: 'forbid' } });
  });
});

test('explains a forbid by the error, the reason, the policy, or the lack of a permit', () => {
  expect(whyForbidden({ ...FORBID, errors: ['overflow'] })).toBe('overflow');
  expect(whyForbidden(FORBID)).toBe('no');
  expect(whyForbidden({ ...FORBID, reasons: [] })).toBe('forbidden by f');
  expect(whyForbidden({ ...FORBID, determining: [], reasons: [] })).toBe('no policy permits it');
  expect(whyForbidden({ ...FORBID, determining: [], reasons: ['x'] })).toBe('no policy permits it: x');
});
