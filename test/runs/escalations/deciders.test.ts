/** Who may decide: a person with a name, and never the one for whom the run acts. */
import { describe, expect, test } from 'vitest';
import { DecisionRecord } from '../../../src/model/decision.ts';
import type { EventBody } from '../../../src/model/event.ts';
import { parse } from '../../../src/model/parse.ts';
import { VerdictEnvelope } from '../../../src/model/verdict.ts';
import type { GateAnswer } from '../../../src/session/decide-gate.ts';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { answered, proposed, type Turns, turns } from '../endings/turns.ts';
import { CAPS, operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const ACTOR = 'agt_worker';
const NAMES_OF_NOBODY = ['', '   ', '\t', ' ana', 'Ana Lee', '\u200b', 'constructor', 'x'.repeat(201)];

const GATED: RigOptions = {
  tools: { pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE'], produces: ['done'] } },
};
const PAY = planOf([{ id: 'a', tool: 'pay', params: { amount: 1 }, requires: ['GATE'] }]);

function answerTo({ pending: [gate] }: RunOutcome, approver: string): readonly [string, GateAnswer] {
  return [gate?.gateId ?? '', { packetHash: gate?.packetHash ?? '', credential: operator(approver), reason: 'seen' }];
}

async function waiting(): Promise<readonly [Rig, RunOutcome]> {
  const bench = rig({ ...GATED, plans: [PAY] });
  return [bench, await bench.invoke()];
}

function decision(run: Turns, said: 'approve' | 'request_info', approver: string): EventBody {
  const { gateId: gate_id = '', packetHash: packet_hash = '' } = run.state.people.gates[0] ?? {};
  return { type: 'gate_decided', gate_id, packet_hash, decision: said, approver, reason: 'ok' };
}

describe('a gate', () => {
  test.each(NAMES_OF_NOBODY)('is not decided by %j, neither at the door nor in the kernel', async (approver) => {
    const [bench, outcome] = await waiting();
    const refusal = { code: 'approver_missing' };
    await expect(bench.runtime.approve(...answerTo(outcome, approver))).rejects.toMatchObject(refusal);
    await expect(bench.runtime.reject(...answerTo(outcome, approver))).rejects.toMatchObject(refusal);
    expect(await bench.runtime.outcome(outcome.runId)).toMatchObject({ status: 'awaiting_gate' });
    expect(bench.dispatches).toEqual([]);
    const run = turns(GATED);
    run.say(proposed(PAY));
    expect(run.refusal(decision(run, 'approve', approver))).toMatchObject(refusal);
  });

  test('is not decided by the one for whom the run acts', async () => {
    const [bench, outcome] = await waiting();
    const own = answerTo(outcome, ACTOR);
    const refusal = { code: 'permission_denied', message: expect.stringContaining(ACTOR) };
    await expect(bench.runtime.approve(...own)).rejects.toMatchObject(refusal);
    await expect(bench.runtime.reject(...own)).rejects.toMatchObject(refusal);
    expect(bench.dispatches).toEqual([]);
  });

  test('of the same name as an earlier one has its own count of answers that settle nothing', () => {
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
  'what remains of a run that %s let pass, or turned down, fits its own schema',
  async (approver) => {
    for (const said of ['approve', 'reject'] as const) {
      const [bench, outcome] = await waiting();
      const done = await bench.settle(bench.runtime[said](...answerTo(outcome, approver)));
      expect(parse(DecisionRecord, done.record, 'internal').approvals).toMatchObject([{ approver, decision: said }]);
      if (said === 'reject') continue;
      expect(parse(VerdictEnvelope, done.verdict, 'internal').step_scores).toMatchObject([{ approver }]);
    }
  },
);

describe('an escalation and a budget', () => {
  /** The second step fails when the last call is spent. */
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

  test.each(NAMES_OF_NOBODY)('are not decided by %j', (by) => {
    const run = frozen();
    expect(run.state.people.escalation).not.toBeNull();
    expect(run.refusal(release(by)).code).toBe('operator_required');
    expect(run.refusal(decide(by)).code).toBe('approver_missing');
  });

  test('are not decided by the one for whom the run acts', () => {
    const run = frozen();
    expect(run.refusal(release(ACTOR)).code).toBe('permission_denied');
    expect(run.refusal(decide(ACTOR)).code).toBe('permission_denied');
    run.say(decide('boss'));
    expect(run.state.ending.terminal).not.toBeNull();
  });
});

test.each(['heartbeat_lost', 'escalated'])('nobody can say that a run was paused by %s', async (cause) => {
  const [bench, { runId }] = await waiting();
  const refused = bench.runtime.tell(runId, { type: 'run_paused', cause, by: 'ops_1' });
  await expect(refused).rejects.toMatchObject({ code: 'event_illegal', path: '/cause' });
});
