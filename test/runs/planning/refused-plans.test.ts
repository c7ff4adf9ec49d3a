/** Tests that the critic of a run refuses an invalid plan, records why, and that no tool of the plan is called. */
import { expect } from 'vitest';
import type { EventOf } from '../../../src/model/events/event.ts';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import type { Plan, PlanStep, Subtask } from '../../../src/model/plan/plan.ts';
import { RISK_CLASSES } from '../../../src/model/policy/risk.ts';
import { verifies } from '../../requirements/verifies.ts';
import { DECISION, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const TOOLS: NonNullable<RigOptions['tools']> = {
  read: { produces: ['order'] },
  retired: { active: false },
  refund: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_REFUND'] },
  'adp_payments.wire_out': { approval_mode: 'destructive', side_effect: true, gates: ['GATE_WIRE'] },
  finish: { produces: ['done'] },
};

/** The boundary allows every tool but the wire transfer. */
const agent: NonNullable<RigOptions['agent']> = (base) => ({
  ...base,
  boundary: {
    ...base.boundary,
    tools: { ...base.boundary.tools, allowed: ['read', 'retired', 'refund', 'finish'] },
  },
});

/** A user whose role may approve no more than local writes. */
const withLocalAuthority: NonNullable<RigOptions['agent']> = (base) => ({
  ...agent(base),
  access: { ...base.access, role_authority: { worker: 'local_write' } },
});

const END: PlanStep = { id: 'end', tool: 'finish' };
const read = (id: string, more: Partial<PlanStep> = {}): PlanStep => ({ id, tool: 'read', params: { id }, ...more });
const refund = (more: Partial<PlanStep> = {}): PlanStep => ({
  id: 'pay',
  tool: 'refund',
  requires: ['GATE_REFUND'],
  ...more,
});
const deciding = (after_step: string): Partial<Plan> => ({
  decision_checkpoints: [{ decision_id: DECISION.decision_id, after_step }],
});
const decidedBy = (changes: Partial<typeof DECISION>): Partial<RigOptions> => ({
  options: { decisions: [{ ...DECISION, ...changes }] },
});
const subtask: Subtask = { id: 't1', goal: 'read it', completion_criteria: ['it is read'], depth: 1 };

interface Refusal {
  readonly name: string;
  readonly plan: Json | Plan;
  readonly problem: JsonObject;
  /** A valid plan that differs in the refused part only; it ends the run with SUCCESS. */
  readonly valid: Plan;
  readonly given?: Partial<RigOptions>;
}

// biome-ignore format: one refusal in few lines
const REPLANNED: Readonly<Record<string, Refusal>> = {
  'plan:schema:unique-step-ids': {
    name: 'two steps with one id',
    plan: planOf([read('end'), END]),
    problem: { code: 'duplicate_step_id', path: '/steps/1/id' },
    valid: planOf([read('a'), END]),
  },
  'plan:schema:step-fields': {
    name: 'a step without a tool',
    plan: { ...planOf([]), steps: [{ id: 'end', tool: 'finish' }, { id: 's7' }] } as unknown as Plan,
    problem: { code: 'plan_untyped', path: '/steps/1/tool', step_id: 's7' },
    valid: planOf([END]),
  },
  'plan:deps:references-resolve': {
    name: 'a dependency on a step that does not exist',
    plan: planOf([read('a'), { ...END, depends_on: ['a', 's9'] }]),
    problem: { code: 'unknown_dependency', path: '/steps/1/depends_on/1', step_id: 'end', detail: { missing: 's9' } },
    valid: planOf([read('a'), { ...END, depends_on: ['a'] }]),
  },
  'plan:deps:acyclic': {
    name: 'two steps that depend on each other',
    plan: planOf([read('a', { depends_on: ['end'] }), { ...END, depends_on: ['a'] }]),
    problem: { code: 'dependency_cycle', path: '/steps/0/depends_on' },
    valid: planOf([read('a'), { ...END, depends_on: ['a'] }]),
  },
  'plan:generation:structured-steps-with-live-tools': {
    name: 'a step of an inactive tool',
    plan: planOf([{ id: 'old', tool: 'retired' }, END]),
    problem: { code: 'tool_inactive', path: '/steps/0/tool', step_id: 'old' },
    valid: planOf([read('old'), END]),
  },
  'plan:subtask:completion-criteria-and-unique-signature': {
    name: 'a sub-task without completion criteria',
    plan: planOf([END], { subtasks: [{ ...subtask, completion_criteria: [] }] }),
    problem: { code: 'subtask_criteria_missing', path: '/subtasks/0/completion_criteria' },
    valid: planOf([END], { subtasks: [subtask] }),
  },
  'plan:checkpoint:after-step-exists': {
    name: 'a checkpoint after an unknown step',
    plan: planOf([read('a'), END], deciding('s7')),
    problem: { code: 'unknown_checkpoint_step', path: '/decision_checkpoints/0/after_step' },
    valid: planOf([read('a'), END], deciding('a')),
    given: decidedBy({}),
  },
  'verify:decision:binding-rules': {
    name: 'an action that does not depend on its decision',
    plan: planOf([read('a'), END], deciding('a')),
    problem: { code: 'decision_unbound', path: '/steps/1/depends_on', step_id: 'end' },
    valid: planOf([read('a'), { ...END, depends_on: ['a'] }], deciding('a')),
    given: decidedBy({ actions: ['finish'] }),
  },
  'verify:evidence:requirements-met': {
    name: 'a decision without its evidence',
    plan: planOf([END], deciding('end')),
    problem: { code: 'evidence_missing', path: '/decision_checkpoints/0', detail: { type: 'order' } },
    valid: planOf([read('a'), { ...END, depends_on: ['a'] }], deciding('end')),
    given: decidedBy({ evidence: ['order'] }),
  },
  'validate:inputs:context-key-must-exist': {
    name: 'an input that no step fills',
    plan: planOf([{ ...END, inputs: ['nope'] }]),
    problem: { code: 'invalid_context_key', path: '/steps/0/inputs/0', step_id: 'end', detail: { key: 'nope', step_index: 0 } },
    valid: planOf([END]),
  },
  'validate:keys:plan-first-from-plan': {
    name: 'a key that a later step fills',
    plan: planOf([read('a', { inputs: ['last'] }), { ...END, context_key: 'last' }]),
    problem: { code: 'invalid_context_key', path: '/steps/0/inputs/0', step_id: 'a', detail: { key: 'last', step_index: 0 } },
    valid: planOf([read('a', { context_key: 'first' }), { ...END, inputs: ['first'] }]),
  },
  'verify:approval:declaration-matches-registry': {
    name: 'a weaker approval mode than that of the tool',
    plan: planOf([refund({ approval_mode: 'read_only' }), END]),
    problem: { code: 'approval_mode_mismatch', path: '/steps/0/approval_mode', detail: { declared: 'read_only', registered: 'destructive' } },
    valid: planOf([END]),
  },
  'verify:approval:missing-gate': {
    name: 'a step that needs approval and names no gate',
    plan: planOf([refund({ requires: [] }), END]),
    problem: { code: 'approval_missing', path: '/steps/0/requires', step_id: 'pay' },
    valid: planOf([END]),
  },
};

const open = (plans: NonNullable<RigOptions['plans']>, given: Partial<RigOptions> = {}): Rig =>
  rig({ tools: TOOLS, agent, plans, ...given, options: { limits: { onEscalate: 'end' }, ...given.options } });

const verifications = async (bench: Rig, runId: string): Promise<readonly EventOf<'plan_verified'>[]> =>
  (await bench.events(runId)).filter((event) => event.type === 'plan_verified');

for (const [id, { name, plan, problem, valid, given }] of Object.entries(REPLANNED))
  verifies(id, `refuses ${name}, and runs the corrected plan`, async () => {
    const bench = open([plan as Plan, valid], given);
    const outcome = await bench.invoke();
    const [refused, accepted] = await verifications(bench, outcome.runId);
    expect(refused).toMatchObject({ verdict: 'replan', problems: [problem] });
    expect(bench.planner.requests[1]?.reason?.code).toBe(problem['code']);
    expect(accepted).toMatchObject({ verdict: 'ok', problems: [] });
    expect(outcome.terminalCode).toBe('SUCCESS');
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(valid.steps.map(({ tool }) => tool));
  });

verifies('plan:generation:structured-steps-with-live-tools', 'refuses prose', async () => {
  const bench = open(['1. read the order 2. finish', planOf([END])]);
  const { runId, terminalCode } = await bench.invoke();
  expect(bench.planner.requests[1]?.reason?.code).toBe('plan_untyped');
  expect(await verifications(bench, runId)).toMatchObject([{ verdict: 'replan' }, { verdict: 'ok' }]);
  expect([terminalCode, bench.dispatches.length]).toEqual(['SUCCESS', 1]);
});

verifies('plan:subtask:completion-criteria-and-unique-signature', 'records equal sub-tasks as one', async () => {
  const subtasks = [subtask, { ...subtask, id: 't2' }, { ...subtask, id: 't3', goal: 'end', depends_on: ['t2'] }];
  const bench = open([planOf([END], { subtasks })]);
  const { runId } = await bench.invoke();
  const [verified] = await verifications(bench, runId);
  expect(verified?.verdict).toBe('ok');
  expect(verified?.plan?.subtasks?.map(({ id, depends_on = [] }) => [id, ...depends_on])).toEqual([
    ['t1'],
    ['t3', 't1'],
  ]);
});

interface Rejection extends Omit<Refusal, 'valid'> {
  readonly code: string;
}

const ONE_SYSTEM = {
  version: 'policy@7',
  invariants: ({ steps }: Plan) =>
    ['read', 'retired'].every((name) => steps.some(({ tool }) => tool === name))
      ? [{ invariant: 'one_of_both', message: 'an order is read in one system' }]
      : [],
};

// biome-ignore format: one rejection in few lines
const REJECTED: Readonly<Record<string, Rejection>> = {
  'verify:tools:allow-list': {
    name: 'a registered tool that the run may not use',
    plan: planOf([read('a'), { id: 'wire', tool: 'adp_payments.wire_out', requires: ['GATE_WIRE'] }, END]),
    problem: { code: 'tool_not_allowed', path: '/steps/1/tool', step_id: 'wire', detail: { tool: 'adp_payments.wire_out' } },
    code: 'PERMISSION_DENIED',
  },
  'approval:authority:from-run-context': {
    name: 'a step beyond the authority of the run',
    plan: planOf([read('a'), refund(), END]),
    problem: { code: 'approval_authority_exceeded', path: '/steps/1/tool', step_id: 'pay', detail: { needed: 'destructive', authority: 'local_write' } },
    given: { agent: withLocalAuthority },
    code: 'PERMISSION_DENIED',
  },
  'verify:policy:conflict-detection': {
    name: 'a plan that breaks an invariant',
    plan: planOf([read('a'), END, { id: 'old', tool: 'retired' }]),
    problem: { code: 'policy_conflict', path: '', detail: { invariant: 'one_of_both', policy: 'policy@7' } },
    given: { world: { policy: { plans: ONE_SYSTEM } } as never },
    code: 'VALIDATION_FAIL',
  },
};

for (const [id, { name, plan, problem, given, code }] of Object.entries(REJECTED))
  verifies(id, `rejects ${name} before any call`, async () => {
    const bench = open([plan as Plan, plan as Plan, plan as Plan], given);
    const outcome = await bench.invoke();
    const [refused] = await verifications(bench, outcome.runId);
    expect(refused?.verdict).not.toBe('ok');
    expect(refused?.problems).toEqual(expect.arrayContaining([expect.objectContaining(problem)]));
    expect(outcome).toMatchObject({ status: 'failed', terminalCode: code });
    expect(bench.dispatches).toEqual([]);
  });

verifies('verify:strictness:scales-with-risk', 'a run of a higher risk records all checks of a lower one', async () => {
  const checks: (readonly string[])[] = [];
  for (const risk of RISK_CLASSES) {
    const bench = open([planOf([read('a'), END])], {
      agent: (base) => ({ ...base, intents: base.intents.map((intent) => ({ ...intent, risk })) }),
    });
    const { runId } = await bench.invoke();
    checks.push((await verifications(bench, runId))[0]?.checks ?? []);
  }
  const [low = [], moderate = [], high = [], critical = []] = checks;
  expect(low).toContain('typed');
  expect(moderate).toEqual(expect.arrayContaining([...low]));
  expect(high).toEqual([...moderate, 'evidence_chain']);
  expect(critical).toEqual([...high, 'bindings_proven']);
});
