/** Tests the verification of a plan without a run: it says what a run with the plan would record, and records nothing. */
import { expect, test } from 'vitest';
import type { EventOf } from '../../../src/model/events/event.ts';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import type { Plan, PlanStep } from '../../../src/model/plan/plan.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, REQUEST, type Rig, type RigOptions, rig } from '../rig.ts';

const TOOLS: RigOptions['tools'] = {
  read: {
    input_schema: { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: false },
    produces: ['order'],
  },
  finish: { produces: ['done'] },
  refund: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_REFUND'], category: 'payment' },
  shred: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_SHRED'] },
};

/** The boundary allows no `shred`, and a worker may not approve more than `network` calls. */
const agent: NonNullable<RigOptions['agent']> = (base) => ({
  ...base,
  boundary: { ...base.boundary, tools: { ...base.boundary.tools, allowed: ['read', 'finish', 'refund'] } },
  access: { ...base.access, role_authority: { worker: 'network', owner: 'destructive' } },
});

const END: PlanStep = { id: 'end', tool: 'finish' };
const many = (count: number): readonly PlanStep[] =>
  Array.from({ length: count }, (_, n) => ({ id: `s${n}`, tool: 'read', params: { id: `${n}` } }));

const BAD: Readonly<Record<string, readonly [plan: Plan, code: string]>> = {
  'an unknown tool': [planOf([{ id: 'a', tool: 'teleport' }, END]), 'hallucinated_capability'],
  'a tool outside the boundary': [planOf([{ id: 'a', tool: 'shred', requires: ['GATE_SHRED'] }]), 'tool_not_allowed'],
  'a wrong argument': [planOf([{ id: 'a', tool: 'read', params: { id: 7 } }, END]), 'argument_invalid'],
  'a missing gate': [planOf([{ id: 'a', tool: 'refund' }, END]), 'approval_missing'],
  'a weaker approval mode': [
    planOf([{ id: 'a', tool: 'refund', approval_mode: 'read_only', requires: ['GATE_REFUND'] }]),
    'approval_mode_mismatch',
  ],
  'more authority than the run has': [
    planOf([{ id: 'a', tool: 'refund', requires: ['GATE_REFUND'] }]),
    'approval_authority_exceeded',
  ],
  'a cycle': [
    planOf([
      { id: 'a', tool: 'read', depends_on: ['b'] },
      { id: 'b', tool: 'read', depends_on: ['a'] },
    ]),
    'dependency_cycle',
  ],
  'a step twice': [planOf([END, END]), 'duplicate_step_id'],
  'an unknown step': [planOf([{ ...END, depends_on: ['nothing'] }]), 'unknown_dependency'],
  'an unknown key': [planOf([{ ...END, inputs: ['nothing'] }]), 'invalid_context_key'],
  'a cost above the budget': [planOf([...many(60), END]), 'budget_projection_exceeded'],
  'no step': [planOf([]), 'plan_untyped'],
};

const open = (plans: RigOptions['plans'] = []): Rig =>
  rig({ tools: TOOLS, plans, agent, options: { limits: { onEscalate: 'end' } } });

/** The first verification that a run with the plan records, and its outcome. */
async function live(plan: Plan): Promise<[EventOf<'plan_verified'>, Awaited<ReturnType<Rig['invoke']>>]> {
  const bench = open([plan, plan, plan]);
  const outcome = await bench.invoke();
  const events = await bench.events(outcome.runId);
  return [events.find((event) => event.type === 'plan_verified') as EventOf<'plan_verified'>, outcome];
}

verifies(
  'verify:ask:before-any-run',
  'verifies each of twelve bad plans as a run does, and records nothing',
  async () => {
    for (const [name, [plan, code]] of Object.entries(BAD)) {
      const [recorded, outcome] = await live(plan);
      const { verdict, problems, checks, projected } = recorded;
      expect([name, problems.map((problem) => problem.code)]).toEqual([name, expect.arrayContaining([code])]);
      const bench = open();
      const report = await bench.runtime.verify(plan, { request: REQUEST });
      expect(report, name).toMatchObject({ verdict, problems, checks, projected, plan: null });
      const { terminalCode, reason } = outcome;
      expect(report.handover, name).toEqual(verdict === 'reject' ? { code: terminalCode, reason } : null);
      expect(await bench.runtime.agents.dryRun(plan, { request: REQUEST }), name).toMatchObject({
        ...report,
        calls: [],
      });
      expect(await bench.journal.list({})).toEqual([]);
      expect(bench.planner.requests).toEqual([]);
      expect(bench.dispatches).toEqual([]);
    }
  },
);

verifies('verify:ask:before-any-run', 'returns a good plan as it would run, with its calls', async () => {
  const bench = open();
  const plan = { steps: [{ context_key: 'result', capability: 'finish' }] };
  const run = { plan_id: 'plan_1', intent: 'work', decision_checkpoints: [] };
  expect(await bench.runtime.verify(plan)).toMatchObject({
    verdict: 'ok',
    problems: [],
    plan: { ...run, steps: [{ id: 'result', tool: 'finish', context_key: 'result' }] },
    handover: null,
  });
  expect(await bench.runtime.agents.dryRun(plan)).toMatchObject({ verdict: 'ok', calls: [{ action: 'finish' }] });
  expect(await bench.journal.list({})).toEqual([]);
});

test('verifies for a user with every role of the agent unless the request names one', async () => {
  const bench = open();
  const plan = planOf([{ id: 'a', tool: 'refund', requires: ['GATE_REFUND'] }, END]);
  expect(await bench.runtime.verify(plan)).toMatchObject({ verdict: 'ok' });
  const user = { name: 'ana', tenant: 'acme', roles: ['worker'] };
  expect(await bench.runtime.verify(plan, { request: { user } })).toMatchObject({
    verdict: 'reject',
    problems: [
      { code: 'tool_not_allowed', path: '/steps/0/tool' },
      { code: 'approval_authority_exceeded', path: '/steps/0/tool', step_id: 'a' },
    ],
    handover: { code: 'PERMISSION_DENIED', reason: 'plan_rejected' },
  });
});

test('reports text instead of a plan as a run does', async () => {
  const bench = open(['I cannot plan this', planOf([END])]);
  const report = await bench.runtime.verify('I cannot plan this');
  await bench.invoke();
  const [, second] = bench.planner.requests;
  const { code, message } = second?.reason ?? {};
  expect(report).toMatchObject({ verdict: 'replan', problems: [{ code, path: '', message }], handover: null });
});

test('names the end of a run that does not reach planning', async () => {
  const bench = open();
  const identity = { ...(REQUEST.identity as unknown as JsonObject), expires_at: 1 };
  const report = await bench.runtime.verify(planOf([END]), { request: { ...REQUEST, identity } as never });
  expect(report).toMatchObject({ verdict: 'reject', problems: [], handover: { code: 'PERMISSION_DENIED' } });
  await expect(bench.runtime.verify(planOf([END]), { agent: 'unknown' })).rejects.toMatchObject({
    code: 'input_invalid',
    path: '/agent',
  });
  const endless: Json[] = [];
  endless.push(endless as unknown as Json);
  await expect(bench.runtime.verify(endless)).rejects.toMatchObject({ code: expect.stringMatching(/^(json|input)_/) });
});
