/** Tests the rulings: a permit is required, a forbid always wins, and an error forbids. */

import { isAuthorized, policyToJson } from '@cedar-policy/cedar-wasm/nodejs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callRequest, gateRequest } from '../../../test/policy/requests.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { consideredText } from '../../model/policy/policy-decision.ts';
import { RISK_PROFILE_NAMES, RISK_PROFILES } from '../../model/policy/risk.ts';
import { cedarAuthorizer } from './cedar-authorizer.ts';
import { cedarRequest } from './entities.ts';
import { findReadParts, type ReadParts, requestReader } from './read-parts.ts';
import { shippedPolicies, shippedSchema } from './read-policies.ts';
import { ALL_TABLES, reachOf } from './relevant-policies.ts';

const from = (...texts: string[]): ReturnType<typeof cedarAuthorizer> =>
  cedarAuthorizer(texts.map((text, place) => ({ file: `${place}.cedar`, text })));

const PERMIT_ALL = '@id("all") @reason("anything goes") permit (principal, action, resource);';
const ASK = '@id("ask") @gate("GATE_A, GATE_B") permit (principal, action, resource);';
const FORBID_PAY = '@id("no_pay") @reason("no payments") forbid (principal, action, resource == Ambit::Tool::"pay");';
const OVERFLOW = `@id("sum") forbid (principal, action == Ambit::Action::"call_tool", resource)
when { context.arguments.long.hasTag("/n") && context.arguments.long.getTag("/n") * 9000000000000000000 > 0 };`;

describe('a ruling', () => {
  test('forbids if no policy permits', () => {
    const ruling = from(FORBID_PAY).decide(callRequest());
    expect(ruling).toEqual({ effect: 'forbid', determining: [], reasons: [], gates: [], errors: [] });
  });

  test('names the determining policies and their reasons', () => {
    expect(from(PERMIT_ALL).decide(callRequest())).toMatchObject({
      effect: 'permit',
      determining: ['all'],
      reasons: ['anything goes'],
    });
  });

  test('forbids if one policy forbids, even if others permit', () => {
    const ruling = from(PERMIT_ALL, ASK, FORBID_PAY).decide(callRequest({ resource: { name: 'pay' } }));
    expect(ruling).toMatchObject({ effect: 'forbid', determining: ['no_pay'], reasons: ['no payments'], gates: [] });
  });

  test('requires the gates of all permits, even if another permit has none', () => {
    expect(from(PERMIT_ALL, ASK).decide(callRequest())).toMatchObject({
      effect: 'permit',
      determining: ['all', 'ask'],
      gates: ['GATE_A', 'GATE_B'],
    });
  });

  test('forbids if a policy cannot be evaluated, even a forbid policy', () => {
    const engine = from(PERMIT_ALL, OVERFLOW);
    expect(engine.decide(callRequest()).effect).toBe('permit');
    const ruling = engine.decide(callRequest({ context: { arguments: { n: 5 } } }));
    expect(ruling).toMatchObject({ effect: 'forbid', determining: [], errors: [expect.stringContaining('sum: ')] });
  });

  test('forbids a request that does not match the schema', () => {
    const foreign = { ...callRequest(), action: 'fly' } as never;
    expect(from(PERMIT_ALL).decide(foreign)).toMatchObject({ effect: 'forbid' });
  });

  test('never throws and does not depend on argument names', () => {
    const engine = from(PERMIT_ALL);
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (raw) => {
        const args = JSON.parse(JSON.stringify(raw));
        const request = deepFreeze(callRequest({ context: { arguments: args, evidence: { found: args } } }));
        expect(engine.decide(request)).toMatchObject({ effect: 'permit', errors: [] });
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['an entity', { a: { __entity: { type: 'Ambit::Role', id: 'admin' } } }],
    ['an extension', { a: { __extn: { fn: 'ip', arg: 'nonsense' } } }],
  ])('treats arguments that look like %s of Cedar as plain data', (_what, args) => {
    expect(from(PERMIT_ALL).decide(callRequest({ context: { arguments: args } }))).toMatchObject({ effect: 'permit' });
  });
});

describe('a call without a permit', () => {
  const permit = (condition: string): string =>
    `@id("p") permit (principal, action == Ambit::Action::"call_tool", resource) when { resource has action && ${condition} };`;
  test.each([
    ['a list', permit('["read", "cite"].contains(resource.action)'), 'cite, read'],
    ['one', permit('resource.action == "read"'), 'read'],
  ])('names the actions that the policies permit, from %s', (_what, text, known) => {
    const undeclared = from(text).decide(callRequest({ resource: { name: 'find', action: null } }));
    expect(undeclared).toMatchObject({ effect: 'forbid', determining: [], errors: [] });
    expect(undeclared.reasons).toEqual([`find does not say in rules.action what it does: the policies know ${known}`]);
    const other = from(text).decide(callRequest({ resource: { name: 'find', action: 'fly' } }));
    expect(other.reasons).toEqual([`fly, which is rules.action of find, is in no permit: the policies know ${known}`]);
  });

  test('does not blame a known action', () => {
    const text = permit('resource.action == "read" && context.risk == "none"');
    expect(from(text).decide(callRequest({ resource: { action: 'read' } })).reasons).toEqual([]);
  });
});

describe('a policy sees', () => {
  const rule = (condition: string): ReturnType<typeof cedarAuthorizer> =>
    from(`@id("r") permit (principal, action == Ambit::Action::"call_tool", resource) when { ${condition} };`);
  const args = { to: ['a@x'], amount: 99.5, seats: 3 };
  const request = callRequest({
    resource: { category: 'payment', mode: 'network' },
    context: {
      arguments: args,
      evidence: { account: { holder: 'ann', frozen: true } },
      untrusted: ['/to/0'],
      approvals: ['GATE_A'],
      remaining: { tool_calls: 2.5 },
    },
  });
  test.each([
    ['the role of the user', 'principal.user in Ambit::Role::"member"'],
    ['the tenant', 'principal in Ambit::Tenant::"tenant_a"'],
    ['the category of the tool', 'resource in Ambit::Category::"payment"'],
    [
      'an argument as a decimal',
      'context.arguments.decimal.hasTag("/amount") && context.arguments.decimal.getTag("/amount").lessThan(decimal("100.0"))',
    ],
    [
      'an argument as a whole number',
      'context.arguments.long.hasTag("/seats") && context.arguments.long.getTag("/seats") < 4',
    ],
    [
      'a list of texts',
      'context.arguments.list.hasTag("/to") && ["a@x"].containsAll(context.arguments.list.getTag("/to"))',
    ],
    [
      'evidence',
      'context.evidence.text.hasTag("/account/holder") && context.evidence.text.getTag("/account/holder") == principal.user.name',
    ],
    ['a condition that evidence states', 'context.conditions.contains("frozen")'],
    ['where arguments come from', 'context.untrusted.contains("/to/0")'],
    ['the approvals held', 'context.approvals.contains("GATE_A")'],
    [
      'what is left of the budget, in whole units',
      'context.remaining.hasTag("tool_calls") && context.remaining.getTag("tool_calls") == 2',
    ],
  ])('%s', (_what, condition) => {
    expect(rule(condition).decide(request).effect).toBe('permit');
    expect(rule(`!(${condition})`).decide(request).effect).toBe('forbid');
  });
});

describe('the part of a request that is passed to the engine', () => {
  const TEXT = 'context.arguments.text';
  const HAS = `${TEXT}.hasTag("/a") && ${TEXT}.getTag("/a") == "x"`;
  const conditions = [
    HAS,
    `!(${HAS})`,
    `${TEXT}.hasTag("/a/0") || ${TEXT}.hasTag("/b~1c")`,
    `${TEXT}.hasTag(principal.user.name)`,
    'context.arguments.list.hasTag("/a") && !context.arguments.list.getTag("/a").isEmpty()',
    'context.arguments.present.contains("/b") && !context.arguments.blank.contains("/b")',
    'context.arguments.present.isEmpty()',
    'context.arguments == context.evidence',
    'context has profile && context.profile == "coding"',
    'context["pending"].containsAny(["/a", "/b"]) || context.expected.containsAll(["a"])',
    '["/a", "/b"].containsAll(context.pending)',
    '{ all: context.pending }.all.contains("/a")',
    'context.unclear.contains("a") || context.conditions.contains("b")',
    'context.remaining.hasTag("tool_calls") && context.remaining.getTag("tool_calls") > 2',
    'if context.planned_after_untrusted then context.environment == "sandbox" else context.risk == "high"',
    'context.evidence.decimal.hasTag("/a/b") && context.evidence.decimal.getTag("/a/b").lessThan(decimal("1.5"))',
    'context.untrusted.isEmpty() && !context.approvals.contains("GATE_A")',
  ];
  const value = fc.constantFrom('x', '', true, false, 1, 2.25, null, ['x'], [], [1], { b: 1 });
  const document = fc.dictionary(fc.constantFrom('a', 'b', 'b/c', 'ann'), value);
  const pointers = fc.subarray(['/a', '/b', '/c']);
  const context = fc.record({
    profile: fc.constantFrom('coding' as const, null),
    arguments: document,
    evidence: fc.dictionary(fc.constantFrom('a', 'b'), document),
    pending: pointers,
    untrusted: pointers,
    expected: fc.subarray(['a', 'b']),
    planned_after_untrusted: fc.boolean(),
    remaining: fc.constantFrom({}, { tool_calls: 2 }, { tool_calls: 3, other: 1.5 }),
    approvals: fc.subarray(['GATE_A', 'GATE_B']),
  });
  const permit = (condition: string): string =>
    `@id("r") permit (principal, action == Ambit::Action::"call_tool", resource) when { ${condition} };`;

  test.each(conditions)('gives the same ruling as the full request: %s', (condition) => {
    const engine = from(permit(condition));
    const everything: ReadParts = { keys: () => null, tables: () => ALL_TABLES };
    fc.assert(
      fc.property(context, (changes) => {
        const request = callRequest({ context: JSON.parse(JSON.stringify(changes)) });
        const answer = isAuthorized({
          ...cedarRequest(requestReader(everything)(request), everything),
          schema: shippedSchema(),
          validateRequest: true,
          policies: { staticPolicies: permit(condition) },
        });
        const full = answer.type === 'success' ? answer.response.decision : answer.errors;
        expect(engine.decide(request)).toMatchObject({ effect: full === 'allow' ? 'permit' : 'forbid', errors: [] });
        expect(answer.type).toBe('success');
      }),
      { numRuns: 40 },
    );
  });

  test('gives the same ruling with the relevant policies as with all policies', () => {
    const sources = shippedPolicies();
    const engine = cedarAuthorizer(sources);
    const everything: ReadParts = { keys: () => null, tables: () => ALL_TABLES };
    const policies = { staticPolicies: sources.map(({ text }) => text).join('\n') };
    const action = fc.constantFrom(...RISK_PROFILE_NAMES.flatMap((name) => RISK_PROFILES[name].needs_approval), null);
    const parts = fc.record({
      profile: fc.constantFrom(...RISK_PROFILE_NAMES, null),
      arguments: fc.dictionary(
        fc.constantFrom('approval_chain', 'amount', 'account_holder'),
        fc.constantFrom('ann', 5, ['x']),
      ),
      evidence: fc.constantFrom(
        {},
        { budget: { limit: 5 }, account: { holder: 'ann' } },
        { r: { secret_exposure: 1 } },
      ),
    });
    fc.assert(
      fc.property(parts, action, (changes, doing) => {
        const request = callRequest({ resource: { action: doing }, context: JSON.parse(JSON.stringify(changes)) });
        const answer = isAuthorized({ ...cedarRequest(requestReader(everything)(request), everything), policies });
        const full = answer.type === 'success' ? answer.response : null;
        const { effect, determining } = engine.decide(request);
        expect(effect).toBe(full?.decision === 'allow' ? 'permit' : 'forbid');
        expect(determining).toHaveLength(full?.diagnostics.reason.length ?? -1);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ['context has profile && context.profile == "coding"', 'coding'],
    ['context has profile && context.profile == "coding" && context.risk == "low"', 'coding'],
    ['context.risk == "low" && (context has profile && context.profile == "coding")', null],
    ['!(context has profile && context.profile == "coding")', null],
    ['context has profile && context.profile != "coding"', null],
    ['(context has profile && context.profile == "coding") || context.risk == "low"', null],
  ])("derives a policy's reach from its first condition: %s", (condition, profile) => {
    const answer = policyToJson(permit(condition));
    expect(answer.type === 'success' && reachOf(answer.json)).toEqual({ action: 'call_tool', profile });
    const unless = policyToJson(permit(condition).replace('when', 'unless'));
    expect(unless.type === 'success' && reachOf(unless.json).profile).toBe(null);
  });

  const many = { list: Array.from({ length: 100_000 }, (_, n) => `v${n}`) };

  test('excludes values that no policy reads, however large', () => {
    const [request, small] = [callRequest({ context: { arguments: many } }), callRequest()];
    const seen = findReadParts([]);
    const look = requestReader(seen);
    expect(cedarRequest(look(request), seen)).toEqual(cedarRequest(look(small), seen));
    expect(from(PERMIT_ALL).decide(request).effect).toBe('permit');
  });

  test('has at most ten thousand values: a larger request is forbidden with a reason', () => {
    const engine = from(permit('!context.arguments.text.hasTag(principal.user.name)'));
    expect(engine.decide(callRequest()).effect).toBe('permit');
    expect(engine.decide(callRequest({ context: { arguments: many } }))).toEqual({
      effect: 'forbid',
      determining: [],
      reasons: [],
      gates: [],
      errors: [expect.stringContaining('more than 10000 values')],
    });
  });

  test('is evaluated once: the same question has the same, frozen answer', () => {
    const engine = from(PERMIT_ALL);
    const first = engine.decide(callRequest());
    expect(engine.decide(callRequest())).toEqual(first);
    expect(Object.isFrozen(first) && Object.isFrozen(first.gates)).toBe(true);
    for (let n = 0; n < 1100; n += 1) engine.decide(callRequest({ principal: { user: `user_${n}` } }));
    expect(engine.decide(callRequest())).toEqual(first);
  });
});

describe('the version', () => {
  test('depends on the policies, not on their files', () => {
    expect(from(PERMIT_ALL, FORBID_PAY).version).toBe(from(`${FORBID_PAY}\n${PERMIT_ALL}`).version);
  });

  test('changes with every change of a policy', () => {
    expect(from(PERMIT_ALL).version).not.toBe(from(PERMIT_ALL.replace('anything', 'nothing')).version);
    expect(from(PERMIT_ALL).version).toMatch(/^cedar:[0-9a-f]{64}$/);
  });

  test('two authorizers in one process are independent', () => {
    const open = from(PERMIT_ALL);
    const closed = from(FORBID_PAY);
    expect([open.decide(callRequest()).effect, closed.decide(callRequest()).effect]).toEqual(['permit', 'forbid']);
  });
});

/** Arguments and evidence with which no profile fails closed. */
const COMPLETE = { approval_chain: ['cfo'], amount: 80 };
const KNOWN = { budget: { limit: 100 }, account: { holder: 'ann' } };

describe('the shipped policies', () => {
  const engine = cedarAuthorizer(shippedPolicies());
  const gate = 'GATE_BOUNDARY_APPROVAL';

  test.each(RISK_PROFILE_NAMES)('%s has the same rules in Cedar as in its table', (profile) => {
    const { free, needs_approval, fails_closed } = RISK_PROFILES[profile];
    const ask = (action: string | null, changes: object = {}): ReturnType<typeof engine.decide> =>
      engine.decide(
        callRequest({
          resource: { action, blast_radius: 'one service' },
          context: { profile, arguments: COMPLETE, evidence: KNOWN, ...changes },
        }),
      );
    for (const action of free) expect([action, ask(action)]).toMatchObject([action, { effect: 'permit', gates: [] }]);
    for (const action of needs_approval)
      expect([action, ask(action)]).toMatchObject([action, { effect: 'permit', gates: [gate] }]);
    for (const { condition } of fails_closed) {
      for (const action of [...free, ...needs_approval]) {
        const evidence = { ...KNOWN, report: { [condition]: true } };
        expect([action, ask(action, { evidence, approvals: [gate] })]).toMatchObject([
          action,
          { effect: 'forbid', gates: [] },
        ]);
      }
    }
    expect(ask(null)).toMatchObject({ effect: 'forbid', determining: [] });
    expect(ask('something_else')).toMatchObject({ effect: 'forbid', determining: [] });
  });

  test('permit calls of an agent without a profile, within its boundary', () => {
    expect(engine.decide(callRequest())).toMatchObject({
      effect: 'permit',
      determining: ['default.no_profile'],
      gates: [],
    });
  });

  test("forbid deciding a gate of one's own run", () => {
    expect(engine.decide(gateRequest('lead_1', 'ann')).effect).toBe('permit');
    expect(engine.decide(gateRequest('ann', 'ann')).effect).toBe('forbid');
  });
});

test('a removed role no longer counts, despite an earlier permit', () => {
  const text = `@id("a") permit (principal, action == Ambit::Action::"call_tool", resource)
    when { principal.user.roles.contains("lead") };`;
  const engine = cedarAuthorizer([{ file: 'a.cedar', text }]);
  const roles = ['lead'];
  const { principal, resource, ...rest } = callRequest({ principal: { roles } });
  const request = { ...rest, principal: Object.freeze(principal), resource: Object.freeze(resource) };
  expect(engine.decide(request).effect).toBe('permit');
  roles.pop();
  expect(engine.decide(request).effect).toBe('forbid');
});

const LISTED = 'context.arguments.list.hasTag("/names") && context.arguments.list.getTag("/names").contains("eve")';

test.each([LISTED, ...['pending', 'untrusted', 'expected', 'approvals'].map((at) => `context.${at}.contains("eve")`)])(
  'a list that changed since the last request is read again: %s',
  (condition) => {
    const text = `@id("a") permit (principal, action == Ambit::Action::"call_tool", resource) unless { ${condition} };`;
    const engine = cedarAuthorizer([{ file: 'a.cedar', text }]);
    const names = ['ann'];
    const { principal, resource } = deepFreeze(callRequest());
    const lists = { pending: names, untrusted: names, expected: names, approvals: names };
    const context = { ...callRequest().context, arguments: { names }, ...lists };
    const request = { action: 'call_tool', principal, resource, context } as const;
    expect([engine.decide(request).effect, engine.decide(request).effect]).toEqual(['permit', 'permit']);
    names.push('eve');
    expect(engine.decide(request).effect).toBe('forbid');
  },
);

test('the text of the considered values does not depend on their order', () => {
  const text = `@id("a") permit (principal, action == Ambit::Action::"call_tool", resource)
    unless { context.arguments.present.isEmpty() };`;
  const { decide } = cedarAuthorizer([{ file: 'a.cedar', text }]);
  const texts = [
    { b: 1, a: 2 },
    { a: 2, b: 1 },
    { a: 2, c: 1 },
  ].map((args) => consideredText(decide(callRequest({ context: { arguments: args } }))));
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]).not.toBe(texts[2]);
});
