/** Shows each law a run that breaks it, because a law that never fails proves nothing. */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import type { MadeEffect, Moves } from '../../src/kernel/state/call-state.ts';
import type { RunState } from '../../src/kernel/state/run-state.ts';
import type { Effect, EffectOf } from '../../src/model/events/effect.ts';
import type { RunEvent } from '../../src/model/events/event.ts';
import { PROVENANCE_GATE } from '../../src/model/evidence/origin.ts';
import { canonicalize } from '../../src/model/json/canonical.ts';
import { type Address, address, addressOfText } from '../../src/model/json/hash.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import { NO_COST } from '../../src/model/tool/tool.ts';
import { approvedIsWhatRan } from '../../src/testing/simulator/laws/approved-is-what-ran.ts';
import { budgetNeverOverdrawn } from '../../src/testing/simulator/laws/budget-never-overdrawn.ts';
import { checkpointPerVerdict } from '../../src/testing/simulator/laws/checkpoint-per-verdict.ts';
import { doubtsAreShown } from '../../src/testing/simulator/laws/doubts-are-shown.ts';
import { endsWithACode } from '../../src/testing/simulator/laws/ends-with-a-code.ts';
import { groundedCommits } from '../../src/testing/simulator/laws/grounded-commits.ts';
import type { Law, Moment, Witness } from '../../src/testing/simulator/laws/law.ts';
import { legalTrajectory } from '../../src/testing/simulator/laws/legal-trajectory.ts';
import { noFaultOfItsOwn } from '../../src/testing/simulator/laws/no-fault-of-its-own.ts';
import { oneStepAtATime } from '../../src/testing/simulator/laws/one-step-at-a-time.ts';
import { planApprovedFirst } from '../../src/testing/simulator/laws/plan-approved-first.ts';
import { sessionLifecycle } from '../../src/testing/simulator/laws/session-lifecycle.ts';
import { answered, proposed, type Turns, turns } from '../runs/endings/turns.ts';
import { kernelOf } from '../runs/graphs/kernel.ts';
import { planOf, type RigOptions } from '../runs/rig.ts';

const PAY: RigOptions = {
  tools: {
    pay: { produces: ['done'], approval_mode: 'destructive', gates: ['GATE_A'], side_effect: true },
  },
};
const PLAN = planOf([{ id: 'a', tool: 'pay', params: { amount: 5 }, requires: ['GATE_A'] }]);
const ENV = kernelOf(PAY);

/** A run that has just sent its only gated call. */
function paying(): Turns {
  const run = turns(PAY);
  run.say(proposed(PLAN));
  const gate = run.state.people.gates[0];
  const about = { gate_id: gate?.gateId ?? '', packet_hash: gate?.packetHash ?? '' };
  run.say({ type: 'gate_decided', ...about, decision: 'approve', approver: 'ana', reason: 'seen' });
  return run;
}

const STATE: RunState = paying().state;
const TIME: RunEvent = { type: 'time_passed', at: STATE.now };

function moment(changes: Partial<Moment> = {}): Moment {
  return { before: STATE, event: TIME, after: STATE, effects: [], ...changes };
}

function witness(changes: Partial<Witness> = {}): Witness {
  const scenario = { graph: 'supervised', pins: { env: ENV } } as unknown as Witness['scenario'];
  const tools = { dispatches: [], effects: new Map() };
  return { scenario, approvals: [], tools, blobs: new Map(), frames: () => [], ...changes };
}

const says = (law: Law, about: Partial<Moment>): string | null => law.event?.(moment(about)) ?? null;

/** A state in which the run rolls back one of its calls. */
function takingBack(changes: Partial<MadeEffect> = {}): RunState {
  const about = { callId: 'call_1', stepId: 'a', tool: 'pay', args: {}, argsHash: '', key: 'k', attempt: 1 };
  const at: MadeEffect = { ...about, doneAt: 0, result: null, trusted: true, compensate: 'pay', ...changes };
  const rollback = { left: [], at, settled: [], spent: { ...NO_COST, calls: 0 } };
  return { ...STATE, ending: { ...STATE.ending, rollback } };
}

function takesBack(tool: string = 'pay', args: JsonObject = { amount: 5 }): EffectOf<'call_tool'> {
  const about = { call_id: 'call_2', step_id: 'a:compensate', args_hash: address(sha256, args), attempt: 1 };
  const call = { ...about, tool, args, idempotency_key: 'k2' };
  return {
    kind: 'call_tool',
    call,
    mode: 'destructive',
    behind: [],
    timeout_ms: 1,
    not_before: 0,
    dispatch_before: 1,
  };
}

describe('budget never overdrawn', () => {
  const { budget } = STATE;
  if (budget === null) throw new Error('the run has a budget');
  const over: RunState = { ...STATE, budget: { ...budget, used: { ...budget.used, tool_calls: 1_000 } } };
  const stop = { code: 'BUDGET_EXHAUSTED', reason: 'provider_overrun' } as const;
  const recorded: RunState = { ...over, ending: { ...over.ending, stops: [stop] } };

  test('is broken by usage above a cap', () => {
    expect(says(budgetNeverOverdrawn(), {})).toBeNull();
    expect(says(budgetNeverOverdrawn(), { after: over })).toContain('1001 of 50 tool_calls');
  });

  test('accepts a recorded overrun, and is broken by an effect after it', () => {
    const law = budgetNeverOverdrawn();
    expect(says(law, { after: recorded })).toBeNull();
    expect(law.end?.(recorded)).toBe('a provider overran a cap and the run did not end');
    const effects: readonly Effect[] = [{ kind: 'propose_plan', attempt: 1, reason: null }];
    expect(says(law, { after: recorded, effects })).toContain('propose_plan was sent after');
  });

  test('accepts only compensations after an overrun, with their cost counted separately', () => {
    const law = budgetNeverOverdrawn();
    expect(says(law, { after: recorded })).toBeNull();
    const ending = { ...takingBack().ending, stops: [stop] };
    const back: RunState = { ...recorded, ending };
    expect(says(law, { after: back, effects: [takesBack()] })).toBeNull();
    expect(says(law, { after: back, effects: [takesBack('other')] })).toContain('call_tool was sent after');
    expect(says(law, { after: recorded, effects: [takesBack()] })).toContain('call_tool was sent after');

    const spent = { ...NO_COST, microusd: 7 };
    const event = { type: 'step_observed', call_id: 'call_2', outcome: 'ok', raw: null, spent, at: 0 } as RunEvent;
    const before = takingBack();
    expect(says(law, { event, before, after: before })).toContain('is not in what that has cost');
    const { rollback } = before.ending;
    if (rollback === undefined) throw new Error('there is no rollback');
    const paid: RunState = {
      ...before,
      ending: { ...before.ending, rollback: { ...rollback, spent: { ...spent, calls: 1 } } },
    };
    expect(says(law, { event, before, after: paid })).toBeNull();
    const capped: RunState = { ...paid, budget: { ...budget, used: { ...budget.used, tool_calls: 2 } } };
    expect(says(law, { event, before, after: capped })).toContain('from the caps');
  });
});

test('legal trajectory is broken by a move without an edge, and by a position other than the last move', () => {
  const law = legalTrajectory(witness());
  const at = (moves: readonly string[], node: string): RunState => ({
    ...STATE,
    position: { ...STATE.position, moves: moves.reduce<Moves>((before, to) => ({ to, before }), null), node },
  });
  expect(says(law, { before: at([], 'plan'), after: at(['plan_validation'], 'plan_validation') })).toBeNull();
  expect(says(law, { before: at([], 'plan'), after: at(['finalize'], 'finalize') })).toContain('from plan to finalize');
  expect(says(law, { before: at([], 'plan'), after: at(['plan_validation'], 'plan') })).toContain(
    'left the run on plan',
  );
});

describe('grounded commits', () => {
  const run = paying();
  const before = run.state;
  run.say(answered(run));
  const tail = run.events.slice(-run.events.length);
  const of = <T extends RunEvent['type']>(type: T): RunEvent => {
    const found = tail.find((event) => event.type === type);
    if (found === undefined) throw new Error(type);
    return found;
  };
  const committed = { ...before, work: { ...before.work, version: 1 } };

  test('is broken by a commit that was not verified', () => {
    const law = groundedCommits();
    expect(says(law, { event: of('step_observed') })).toContain('never attempted');
    expect(says(law, { event: of('step_committed'), after: committed })).toContain('not verified');
  });

  test('is broken by a version out of order and by a value that no tool returned', () => {
    const law = groundedCommits();
    for (const type of ['step_attempted', 'step_observed', 'step_verified'] as const) {
      expect(says(law, { event: of(type), before, after: before })).toBeNull();
    }
    const event = of('step_committed');
    expect(says(law, { event, before, after: { ...before, work: { ...before.work, version: 7 } } })).toContain(
      'version',
    );
    expect(says(law, { event, before, after: committed })).toContain('had not answered');
    expect(says(law, { after: { ...STATE, work: { ...STATE.work, version: 9 } } })).toContain(
      'changed the version by 9',
    );
  });
});

describe('approved is what ran', () => {
  const call = STATE.current;
  const active = STATE.planning.active;
  if (call?.call == null || active === null) throw new Error('a call is under way');
  const sent = (args: JsonObject, args_hash: string = address(sha256, args)): readonly Effect[] => {
    const { stepId: step_id, tool, call: state } = call;
    const effect: EffectOf<'call_tool'> = {
      kind: 'call_tool',
      call: { call_id: 'call_1', step_id, tool, args, args_hash, idempotency_key: state?.key ?? '', attempt: 1 },
      mode: 'destructive',
      behind: [],
      timeout_ms: 1,
      not_before: 0,
      dispatch_before: 1,
    };
    return [effect];
  };
  const shown = { gate: 'GATE_A', step_id: 'a', action: 'pay', args_hash: call.argsHash, plan_hash: active.hash };
  const packet = canonicalize({ ...shown, parameters: call.args });
  const packetHash = addressOfText(sha256, packet);
  const blobs = new Map<Address, string>([[packetHash, packet]]);
  const law = (approver: string): Law => approvedIsWhatRan(witness({ blobs, approvals: [{ packetHash, approver }] }));

  test('accepts a call that a named approver was shown', () => {
    expect(says(law('ana'), { effects: sent(call.args) })).toBeNull();
    expect(says(law(''), { effects: sent(call.args) })).toContain('nobody approved');
    expect(says(approvedIsWhatRan(witness()), { effects: sent(call.args) })).toContain('nobody approved');
  });

  test('is broken by other arguments, a wrong hash, another mode or a step of no plan', () => {
    expect(says(law('ana'), { effects: sent({ amount: 6 }) })).toContain('nobody approved');
    expect(says(law('ana'), { effects: sent({ amount: 6 }, call.argsHash) })).toContain('other arguments');
    const weaker = sent(call.args).map((effect) => ({ ...effect, mode: 'read_only' }) as Effect);
    expect(says(law('ana'), { effects: weaker })).toContain('went out as read_only');
    const after = { ...STATE, planning: { ...STATE.planning, active: null } };
    expect(says(law('ana'), { effects: sent(call.args), after })).toContain('not a step');
  });

  test('is broken by a call under a plan that was not approved', () => {
    const plan = canonicalize({ gate: 'GATE_PLAN_APPROVAL', plan_hash: active.hash });
    const planHash = addressOfText(sha256, plan);
    const asked = witness({
      blobs: new Map([[planHash, plan]]),
      approvals: [{ packetHash: planHash, approver: 'ana' }],
    });
    expect(says(planApprovedFirst(asked), { effects: sent(call.args) })).toBeNull();
    expect(says(planApprovedFirst(witness()), { effects: sent(call.args) })).toContain('which nobody approved');

    const law = planApprovedFirst(asked);
    const after: RunState = { ...takingBack(), planning: { ...STATE.planning, active: null } };
    expect(says(law, { after, effects: [takesBack()] })).toContain('never left under an approved plan');
    expect(says(law, { effects: sent(call.args) })).toBeNull();
    expect(says(law, { after, effects: [takesBack()] })).toBeNull();
  });

  test("requires the tool's gates for a compensation, or the provenance gate if the tool has none", () => {
    const env = kernelOf({ tools: { pay: { approval_mode: 'destructive', gates: [], side_effect: true } } });
    const scenario = { graph: 'reactive', pins: { env } } as unknown as Witness['scenario'];
    const effect = takesBack();
    const { args, args_hash, step_id, tool: action } = effect.call;
    const about = { gate: PROVENANCE_GATE, step_id, action, args_hash, plan_hash: active.hash, parameters: args };
    const text = canonicalize(about);
    const hash = addressOfText(sha256, text);
    const asked = witness({
      scenario,
      blobs: new Map([[hash, text]]),
      approvals: [{ packetHash: hash, approver: 'ana' }],
    });
    const untrusted = takingBack({ trusted: false });
    expect(says(approvedIsWhatRan(asked), { after: untrusted, effects: [effect] })).toBeNull();
    expect(says(approvedIsWhatRan(witness({ scenario })), { after: untrusted, effects: [effect] })).toContain(
      'nobody approved',
    );
    expect(says(approvedIsWhatRan(asked), { after: takingBack(), effects: [effect] })).toContain('passed no gate');
    expect(says(law('ana'), { after: takingBack(), effects: [effect] })).toContain('at GATE_A');
  });
});

describe('checkpoint per verdict', () => {
  const run = turns({ tools: { read: { produces: ['done'] } } });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }])));
  const verdict = run.events.find(({ type }) => type === 'plan_verified') ?? TIME;

  test('is broken by a verdict without a checkpoint, and by an invalid or unsaved checkpoint', () => {
    expect(says(checkpointPerVerdict(witness()), { event: verdict })).toContain('left no checkpoint');
    const save = (payload: JsonObject): readonly Effect[] => [
      { kind: 'save_checkpoint', checkpoint_id: 'ck', payload },
    ];
    const event = verdict;
    expect(says(checkpointPerVerdict(witness()), { event, effects: save({}) })).toContain('is not a checkpoint');
    const history = { tool_transcripts: 0, evidence_refs: 0, step_scores: 0, root: '' };
    const head = { run_id: 'r', plan_id: null, after_step: null, critic_verdict: 'ok', next_step: null, budget: null };
    const checkpoint = { ...head, history, sequence: 1, terminal: false };
    expect(says(checkpointPerVerdict(witness()), { event, effects: save(checkpoint) })).toContain('not stored');
    expect(says(checkpointPerVerdict(witness()), { event, effects: save({ ...checkpoint, sequence: 2 }) })).toContain(
      'number 2',
    );
  });
});

test('session lifecycle is broken by an illegal transition and by an unexplained pause', () => {
  const as = (status: RunState['session']['status']): RunState => ({ ...STATE, session: { ...STATE.session, status } });
  const law = sessionLifecycle();
  expect(says(law, { before: as('in_progress'), after: as('rejected') })).toContain('from in_progress to rejected');
  expect(says(law, { before: as('in_progress'), after: as('paused') })).toContain('unexplained');
  expect(law.end?.(as('completed'))).toContain('its session is completed');
});

test('ends with a code is broken by an event after the end, a missing end and a missing record', () => {
  const law = endsWithACode(witness());
  const event: RunEvent = {
    type: 'run_terminated',
    code: 'SUCCESS',
    reason: 'goal_met',
    detail: {},
    status: 'completed',
    suppressed: [],
    record: 'sha256:none',
    at: STATE.now,
  };
  expect(law.end?.(STATE)).toBe('the run did not end');
  expect(says(law, { event })).toBeNull();
  expect(says(law, {})).toContain('came after the end');
  const { code, reason, detail, suppressed, record } = event;
  const ended = { ...STATE, ending: { ...STATE.ending, terminal: { code, reason, detail, suppressed, record } } };
  expect(law.end?.(ended)).toBe('the record of the run is not stored');
});

test('doubts are shown is broken by a success with a call in doubt that no person was shown', () => {
  const doubts = { 'pay {}': { key: 'k1', since: 1, until: 2, decided: false } };
  const terminal = {
    code: 'PARTIAL_SUCCESS',
    reason: 'finished_by_decision',
    detail: {},
    suppressed: [],
    record: null,
  };
  const ended = {
    ...STATE,
    work: { ...STATE.work, doubts },
    ending: { ...STATE.ending, terminal },
  } as unknown as RunState;
  const escalated = (reason: string): RunEvent =>
    ({ type: 'run_escalated', stop: { code: 'REVIEW_REQUIRED', reason } }) as unknown as RunEvent;
  const finished = { type: 'escalation_decided', decision: 'finalize' } as unknown as RunEvent;
  const law = doubtsAreShown();
  says(law, { event: escalated('loop_detected') });
  says(law, { event: finished });
  expect(law.end?.(ended)).toBe('the run ended with PARTIAL_SUCCESS, and pay {} is in doubt');
  says(law, { event: escalated('call_in_doubt') });
  says(law, { event: finished });
  expect(law.end?.(ended)).toBeNull();
});

test('no fault of its own is broken by a run that stops with an internal reason', () => {
  const stopped = (reason: string): RunEvent => ({
    type: 'stop_raised',
    stop: { code: 'VALIDATION_FAIL', reason },
    at: 0,
  });
  expect(says(noFaultOfItsOwn(), { event: stopped('illegal_edge') })).toContain('illegal_edge');
  expect(says(noFaultOfItsOwn(), { event: stopped('budget_invalid') })).toBeNull();
});

describe('one step at a time', () => {
  const begun = (step_id: string): Effect => ({ ...takesBack(), call: { ...takesBack().call, step_id } });
  const PROPOSED: RunEvent = { ...proposed(PLAN), at: STATE.now };
  const stepwise = (reactStepsMax: number): Law => {
    const env = { ...ENV, limits: { ...ENV.limits, planning: 'stepwise', reactStepsMax } };
    return oneStepAtATime(witness({ scenario: { pins: { env } } as unknown as Witness['scenario'] }));
  };

  test('is broken by a step without a decision, and not by a repeated step', () => {
    const law = stepwise(10);
    expect(says(law, { event: PROPOSED, effects: [begun('a')] })).toBeNull();
    expect(says(law, { effects: [begun('a')] })).toBeNull();
    expect(says(law, { effects: [begun('b')] })).toContain('nobody has decided');
  });

  test('is broken by too many steps', () => {
    const law = stepwise(1);
    expect(says(law, { event: PROPOSED, effects: [begun('a')] })).toBeNull();
    expect(says(law, { event: PROPOSED, effects: [begun('b')] })).toBeNull();
    expect(says(law, { event: PROPOSED, effects: [begun('c')] })).toContain('3 steps were begun');
  });

  test('is broken by a run with a complete plan that counts steps', () => {
    const after: RunState = { ...STATE, react: { ...STATE.react, stepCount: 1 } };
    expect(says(oneStepAtATime(witness()), { after: STATE })).toBeNull();
    expect(says(oneStepAtATime(witness()), { after })).toContain('whole plan');
  });
});
