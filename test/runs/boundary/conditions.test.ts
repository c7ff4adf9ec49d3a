/** The fail-closed conditions of the risk profiles, without and with policies: a run per condition, through the public API. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { cedarAuthorizer, shippedPolicies } from '../../../src/adapters/cedar/index.ts';
import { agent, ambit, type RunOutcome, templatePlanner, tool } from '../../../src/index.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import { RISK_PROFILE_NAMES, RISK_PROFILES, type RiskProfileName } from '../../../src/model/index.ts';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import type { BoundaryCondition } from '../../../src/model/policy/condition.ts';
import type { PolicyJudge } from '../../../src/model/policy/policy-decision.ts';
import { verifies } from '../../requirements/verifies.ts';

const USER = { name: 'ada', tenant: 'shop', roles: ['clerk'] };

/** For each proof an answer that rules the condition out, and one by which it holds; absent if no answer says so. */
const ANSWERS: Readonly<Record<string, { readonly good: Json; readonly bad?: Json }>> = {
  requester: { good: 'ada', bad: 'somebody_else' },
  true: { good: true, bad: false },
  false: { good: false, bad: true },
  list: { good: ['cfo'], bad: [] },
  limit: { good: 100, bad: 79 },
  blast_radius: { good: 'one service' },
};

interface Case {
  readonly profile: RiskProfileName;
  readonly action: string;
  /** The answers of the lookup, by field. */
  readonly found: JsonObject;
  readonly trusted?: boolean;
  /** The options of the governed tool that differ. */
  readonly act?: { readonly risk?: JsonObject; readonly approvalMode?: 'local_write' | 'destructive' };
  readonly steps?: readonly PlanStep[];
  /** Policies that decide as well. */
  readonly calls?: PolicyJudge;
}

const LOOK = { id: 'look', tool: 'look', params: { about: 'o1' } };
const ACT = { id: 'act', tool: 'act', params: { about: 'o1', amount: 80 } };

/** Runs a lookup and a governed call, and returns what happened. */
async function runCase({
  profile,
  action,
  found,
  trusted = true,
  act = {},
  steps = [LOOK, ACT],
  calls,
}: Case): Promise<{
  readonly outcome: RunOutcome;
  readonly called: readonly string[];
  readonly events: readonly RunEvent[];
}> {
  const called: string[] = [];
  const look = tool({
    name: 'look',
    description: 'Look the case up',
    approvalMode: 'read_only',
    inputSchema: z.object({ about: z.string() }),
    outputSchema: z.record(z.string(), z.unknown()),
    execute: () => {
      called.push('look');
      return found;
    },
    conditions: Object.fromEntries(Object.keys(found).map((field) => [field, `/${field}`])),
    risk: { trusted },
    rules: { action: RISK_PROFILES[profile].free[0] ?? '' },
  });
  const governed = tool({
    name: 'act',
    description: 'Act on the case',
    approvalMode: act.approvalMode ?? 'local_write',
    inputSchema: z.object({ about: z.string(), amount: z.number().optional() }),
    outputSchema: z.object({ done: z.boolean() }),
    execute: () => {
      called.push('act');
      return { done: true };
    },
    effects: { produces: ['done'] },
    risk: { trusted: true, ...act.risk },
    rules: { action },
  });
  const plan = { plan_id: 'p1', intent: 'work', steps, decision_checkpoints: [] };
  const runtime = ambit({
    agent: agent({
      name: 'worker',
      planner: templatePlanner({ work: plan }),
      tools: [look, governed],
      boundary: profile,
      budget: 'standard',
      settings: { roles: { clerk: 'destructive' } },
    }),
    store: 'memory',
    ...(calls === undefined ? {} : { world: { policy: { calls } } }),
  });
  const outcome = await runtime.start({ message: 'Do the work', user: USER }).settled;
  const frames = await runtime.records.frames(outcome.runId);
  const events = frames.flatMap((frame) => JSON.parse(frame.events) as RunEvent[]);
  expect((await runtime.records.replay(outcome.runId)).turns).not.toEqual([]);
  return { outcome, called, events };
}

const conditionsOf = (profile: RiskProfileName, action: string): readonly BoundaryCondition[] =>
  RISK_PROFILES[profile].fails_closed.filter(({ governs }) => governs.includes(action));

/** Answers that rule out every condition of an action. */
function goodAnswers(profile: RiskProfileName, action: string): JsonObject {
  return Object.fromEntries(
    conditionsOf(profile, action).flatMap(({ field, proof }) =>
      field === undefined ? [] : [[field, ANSWERS[proof]?.good ?? null]],
    ),
  );
}

/** The messages that deny a call, in its plan or at its dispatch. */
const denialsIn = (events: readonly RunEvent[]): readonly (readonly [code: string, message: string])[] =>
  events.flatMap((event) => {
    if (event.type === 'plan_verified') return event.problems.map(({ code, message }) => [code, message] as const);
    return event.type === 'step_refused' ? [[event.code, event.message] as const] : [];
  });

const gatesIn = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'gate_opened' ? [event.name] : []));

const ANSWERED = RISK_PROFILE_NAMES.flatMap((profile) =>
  RISK_PROFILES[profile].fails_closed.flatMap(({ condition, field, proof, governs }) =>
    field === undefined ? [] : governs.slice(0, 1).map((action) => ({ profile, condition, field, proof, action })),
  ),
);

const ID = 'boundary:profiles:fail-closed-by-themselves';

for (const { profile, condition, field, proof, action } of ANSWERED) {
  const good = goodAnswers(profile, action);
  const { [field]: _, ...others } = good;
  const { bad } = ANSWERS[proof] ?? {};

  if (bad !== undefined) {
    verifies(ID, `${profile} denies ${action} if ${condition} holds, without a gate`, async () => {
      const { outcome, called, events } = await runCase({ profile, action, found: { ...others, [field]: bad } });
      expect(outcome).toMatchObject({
        status: 'failed',
        terminalCode: 'PERMISSION_DENIED',
        reason: 'condition_not_met',
      });
      expect([called, gatesIn(events)]).toEqual([['look'], []]);
      const [[code, message] = []] = denialsIn(events);
      expect(code).toBe('condition_not_met');
      for (const part of [`${profile} denies ${action} by act`, condition, `\`${field}\``])
        expect(message).toContain(part);
    });
  }

  verifies(ID, `${profile} denies ${action} if ${condition} is unknown, and names the field`, async () => {
    const { outcome, called, events } = await runCase({ profile, action, found: others });
    expect(outcome).toMatchObject({ status: 'failed', terminalCode: 'PERMISSION_DENIED', reason: 'plan_rejected' });
    expect([called, gatesIn(events)]).toEqual([[], []]);
    const [[code, message] = []] = denialsIn(events);
    expect(code).toBe('condition_unanswered');
    for (const part of [`${profile} denies ${action} by act`, condition, `conditions: { ${field}: '/…' }`])
      expect(message).toContain(part);
    // A trusted tool could supply values that a request grants, so no fault recommends it.
    expect(message).not.toContain('trusted');
  });

  test(`${profile} asks a person about ${action} once ${condition} is ruled out`, async () => {
    const { outcome, called, events } = await runCase({ profile, action, found: good });
    expect(denialsIn(events)).toEqual([]);
    expect([outcome.status, called, gatesIn(events)]).toEqual(['awaiting_gate', ['look'], ['GATE_BOUNDARY_APPROVAL']]);
  });

  test(`${profile} takes an unreadable answer about ${condition} as no answer for ${action}`, async () => {
    const { outcome, called, events } = await runCase({ profile, action, found: { ...others, [field]: null } });
    expect(outcome).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'condition_unanswered' });
    expect([called, gatesIn(events)]).toEqual([['look'], []]);
  });
}

describe('with the shipped policies', () => {
  const calls = cedarAuthorizer(shippedPolicies());

  for (const { profile, condition, field, proof, action } of ANSWERED) {
    const good = goodAnswers(profile, action);
    const { [field]: _, ...unknown } = good;
    const { bad } = ANSWERS[proof] ?? {};
    const denied = bad === undefined ? [unknown] : [unknown, { ...unknown, [field]: bad }];

    verifies(ID, `${profile} denies ${action} because of ${condition}, and asks once it is ruled out`, async () => {
      for (const found of denied) {
        const { outcome, called, events } = await runCase({ profile, action, found, calls });
        expect(outcome).toMatchObject({ status: 'failed', terminalCode: 'PERMISSION_DENIED' });
        expect(called).not.toContain('act');
        expect(gatesIn(events)).toEqual([]);
      }
      const { outcome, called, events } = await runCase({ profile, action, found: good, calls });
      expect([outcome.status, called, gatesIn(events)]).toEqual([
        'awaiting_gate',
        ['look'],
        ['GATE_BOUNDARY_APPROVAL'],
      ]);
    });
  }

  verifies(ID, 'incident_sre denies a restart whose blast radius is unknown', async () => {
    const { outcome, called, events } = await runCase({ profile: 'incident_sre', action: 'restart', found: {}, calls });
    expect(outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect([called, gatesIn(events)]).toEqual([[], []]);
  });
});

const SUPPORT = { profile: 'customer_support', action: 'refund', found: { account_holder: 'ada' } } as const;

describe('an answer', () => {
  test('of an untrusted tool counts: its declaration vouches for the field, and for no other use', async () => {
    const { outcome, called } = await runCase({ ...SUPPORT, trusted: false });
    expect([outcome.status, called]).toEqual(['awaiting_gate', ['look']]);
  });

  test('about another subject counts as none', async () => {
    const other = { ...LOOK, params: { about: 'o2' } };
    const { outcome, called, events } = await runCase({ ...SUPPORT, steps: [other, ACT] });
    expect(outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect(called).toEqual([]);
    expect(denialsIn(events)[0]?.[1]).toContain('call look first, which answers `account_holder`');
  });

  test('that no step of the plan looks up is asked of the planner again', async () => {
    const { outcome, called, events } = await runCase({ ...SUPPORT, steps: [ACT] });
    expect(outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect(called).toEqual([]);
    expect(events.flatMap((event) => (event.type === 'plan_verified' ? [event.verdict] : []))[0]).toBe('replan');
    expect(denialsIn(events)[0]?.[1]).toContain('call look first, which answers `account_holder`');
  });

  test('after the call counts as none', async () => {
    const { called, events } = await runCase({ ...SUPPORT, steps: [ACT, { ...LOOK, depends_on: ['act'] }] });
    expect(called).toEqual([]);
    expect(denialsIn(events)[0]?.[0]).toBe('condition_unanswered');
  });
});

test('an action that a condition does not govern needs no answer', async () => {
  const { outcome, called } = await runCase({ ...SUPPORT, action: 'send_communication', found: {} });
  expect([outcome.status, called]).toEqual(['awaiting_gate', ['look']]);
});

test('a condition that is known to hold denies every call with a side effect', async () => {
  const found = { account_holder: 'ada', policy_exception: true };
  const { outcome, called, events } = await runCase({ ...SUPPORT, found });
  expect(outcome).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'condition_not_met' });
  expect([called, gatesIn(events)]).toEqual([['look'], []]);
  expect(denialsIn(events)[0]?.[1]).toContain('policy_exception');
});

test('an amount that is missing denies a purchase order', async () => {
  const found = { budget_limit: 100, approval_chain: ['cfo'] };
  const bare = { ...ACT, params: { about: 'o1' } };
  const { called, events } = await runCase({
    profile: 'procurement',
    action: 'purchase_order',
    found,
    steps: [LOOK, bare],
  });
  expect(called).toEqual([]);
  expect(denialsIn(events)[0]?.[1]).toContain(
    'budget_breach): the call has no `amount` or `amount_cents` that is a number',
  );
});

describe('an intervention', () => {
  const RESTART = { profile: 'incident_sre', action: 'restart', found: {} } as const;
  const blastRadius = 'one service';

  verifies(ID, 'whose tool declares its blast radius waits for a person, and one without is denied', async () => {
    const known = await runCase({ ...RESTART, act: { risk: { blastRadius } } });
    expect(gatesIn(known.events)).toEqual(['GATE_BOUNDARY_APPROVAL']);
    const unknown = await runCase(RESTART);
    expect(unknown.outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect([unknown.called, gatesIn(unknown.events)]).toEqual([[], []]);
    expect(denialsIn(unknown.events)[0]?.[1]).toContain('blast_radius_unknown');
  });

  verifies(ID, 'that is destructive needs a declared rollback', async () => {
    const destructive = { approvalMode: 'destructive' } as const;
    const steps = [LOOK, { ...ACT, requires: ['GATE_MODE_APPROVAL'] }];
    const safe = await runCase({
      ...RESTART,
      steps,
      act: { ...destructive, risk: { blastRadius, rollback: 'start it again' } },
    });
    expect(safe.outcome.status).toBe('awaiting_gate');
    const { outcome, called, events } = await runCase({
      ...RESTART,
      steps,
      act: { ...destructive, risk: { blastRadius } },
    });
    expect(outcome.terminalCode).toBe('PERMISSION_DENIED');
    expect([called, gatesIn(events)]).toEqual([[], []]);
    expect(denialsIn(events)[0]?.[1]).toContain('destructive_action): declare risk.rollback');
  });
});
