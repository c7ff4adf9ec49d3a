/** Only a named person may decide, and never the actor of the run. */
import { describe, expect, test } from 'vitest';
import { DecisionRecord } from '../../../src/model/critic/decision-record.ts';
import { VerdictEnvelope } from '../../../src/model/critic/verdict.ts';
import type { EventBody } from '../../../src/model/events/event.ts';
import { parse } from '../../../src/model/json/parse.ts';
import type { GateAnswer } from '../../../src/runtime/gates/decide-gate.ts';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const ACTOR = 'agt_worker';
const INVALID_NAMES = ['', '   ', '\t', ' ana', 'Ana Lee', '\u200b', 'constructor', 'x'.repeat(201)];

const GATED: RigOptions = {
  tools: { pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE'], produces: ['done'] } },
};
const PAY = planOf([{ id: 'a', tool: 'pay', params: { amount: 1 }, requires: ['GATE'] }]);

function answerTo({ pending: [gate] }: RunOutcome, approver: string): readonly [string, GateAnswer] {
  return [gate?.gateId ?? '', { packetHash: gate?.packetHash ?? '', credential: operator(approver), reason: 'seen' }];
}

async function invokeGated(): Promise<readonly [Rig, RunOutcome]> {
  const bench = rig({ ...GATED, plans: [PAY] });
  return [bench, await bench.invoke()];
}

function decision(run: Turns, choice: 'approve' | 'request_info', approver: string): EventBody {
  const { gateId: gate_id = '', packetHash: packet_hash = '' } = run.state.people.gates[0] ?? {};
  return { type: 'gate_decided', gate_id, packet_hash, decision: choice, approver, reason: 'ok' };
}

describe('a gate', () => {
  test.each(INVALID_NAMES)('rejects the approver name %j, in the API and in the kernel', async (approver) => {
    const [bench, outcome] = await invokeGated();
    const refusal = { code: 'approver_missing' };
    await expect(bench.runtime.approve(...answerTo(outcome, approver))).rejects.toMatchObject(refusal);
    await expect(bench.runtime.gates.reject(...answerTo(outcome, approver))).rejects.toMatchObject(refusal);
    expect(await bench.runtime.sessions.get(outcome.runId)).toMatchObject({ status: 'awaiting_gate' });
    expect(bench.dispatches).toEqual([]);
    const run = turns(GATED);
    run.say(proposed(PAY));
    expect(run.refusal(decision(run, 'approve', approver))).toMatchObject(refusal);
  });

  test('rejects the actor of the run as approver', async () => {
    const [bench, outcome] = await invokeGated();
    const own = answerTo(outcome, ACTOR);
    const refusal = { code: 'permission_denied', message: expect.stringContaining(ACTOR) };
    await expect(bench.runtime.approve(...own)).rejects.toMatchObject(refusal);
    await expect(bench.runtime.gates.reject(...own)).rejects.toMatchObject(refusal);
    expect(bench.dispatches).toEqual([]);
  });

  test('counts its own unsettled answers, apart from an earlier gate of the same name', () => {
    const run = turns(GATED);
    const steps = ['a', 'b'].map((id) => ({ id, tool: 'pay', params: { id }, requires: ['GATE'] }));
    run.say(proposed(planOf(steps)));
    run.say(decision(run, 'request_info', 'boss'));
    run.say(decision(run, 'request_info', 'boss'));
    run.say(decision(run, 'approve', 'boss'));
    run.say(answered(run));
    expect(run.state.people.gates).toMatchObject([{ name: 'GATE', stepId: 'b' }]);
    run.say(decision(run, 'request_info', 'boss'));
    run.say(decision(run, 'request_info', 'boss'));
    expect(run.state.session.status).toBe('awaiting_gate');
    run.say(decision(run, 'request_info', 'boss'));
    expect(run.state.people.escalation?.stop).toMatchObject({ reason: 'gate_unsettled' });
  });
});

test.each(['ana', 'ana@example.com', 'toString', 'hasOwnProperty'])(
  'record and verdict match their schemas with approver %s, approved or rejected',
  async (approver) => {
    for (const choice of ['approve', 'reject'] as const) {
      const [bench, outcome] = await invokeGated();
      const done = await bench.settle(bench.runtime.gates[choice](...answerTo(outcome, approver)));
      expect(parse(DecisionRecord, done.record, 'internal').approvals).toMatchObject([{ approver, decision: choice }]);
      if (choice === 'reject') continue;
      expect(parse(VerdictEnvelope, done.verdict, 'internal').step_scores).toMatchObject([{ approver }]);
    }
  },
);

describe('an escalation and a budget', () => {
  /** The second step fails with no call left. */
  const frozen = (): Turns => {
    const run = turns({ tools: { read: {}, finish: { produces: ['done'] } }, caps: { ...CAPS, tool_calls_max: 2 } });
    run.say(
      proposed(
        planOf([
          { id: 'a', tool: 'read', params: {} },
          { id: 'b', tool: 'finish', params: {} },
        ]),
      ),
    );
    run.say(answered(run));
    run.say(answered(run, { outcome: 'error', raw: null }));
    return run;
  };
  const release = (by: string): EventBody => ({ type: 'budget_extended', by, reason: 'x', delta: { tool_calls: 1 } });
  const decide = (by: string): EventBody => ({ type: 'escalation_decided', decision: 'terminate', by, reason: 'x' });

  test.each(INVALID_NAMES)('reject the operator name %j', (by) => {
    const run = frozen();
    expect(run.state.people.escalation).not.toBeNull();
    expect(run.refusal(release(by)).code).toBe('operator_required');
    expect(run.refusal(decide(by)).code).toBe('approver_missing');
  });

  test('reject the actor of the run as operator', () => {
    const run = frozen();
    expect(run.refusal(release(ACTOR)).code).toBe('permission_denied');
    expect(run.refusal(decide(ACTOR)).code).toBe('permission_denied');
    run.say(decide('boss'));
    expect(run.state.ending.terminal).not.toBeNull();
  });
});

test.each(['heartbeat_lost', 'escalated'])('rejects a pause command with cause %s', async (cause) => {
  const [bench, { runId }] = await invokeGated();
  const refused = bench.runtime.sessions.send(runId, { type: 'run_paused', cause, by: 'ops_1' });
  await expect(refused).rejects.toMatchObject({ code: 'event_illegal', path: '/cause' });
});
