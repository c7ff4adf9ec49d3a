/** The wall clock limits the whole run, also during a call. Time spent waiting for people does not count. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { answered, eventsOf, proposed, turns } from '../endings/turns.ts';
import { type Behaviour, CAPS, neverAnswers, planOf, type Rig, rig } from '../rig.ts';

verifies(
  'budget:control-wallclock:timeout-terminates',
  'aborts a hanging tool at the limit and keeps the committed evidence in the record',
  async () => {
    let aborted = false;
    const hang: Behaviour = (_args, { signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return new Promise(() => undefined);
    };
    const bench = rig({
      tools: { read: { produces: ['seen'] }, hang: { execute: hang, produces: ['done'], timeout_ms: 60_000 } },
      plans: [
        planOf([
          { id: 'a', tool: 'read' },
          { id: 'b', tool: 'hang' },
        ]),
      ],
      caps: { ...CAPS, wall_clock_seconds_max: 10 },
    });
    const outcome = await bench.invoke();
    expect(outcome).toMatchObject({
      status: 'failed',
      terminalCode: 'TIMEOUT',
      record: { terminal_code: 'TIMEOUT', evidence_refs: ['ev_1'] },
    });
    expect(aborted).toBe(true);
    expect(bench.clock.next()).toBeNull();
    const events = await bench.events(outcome.runId);
    expect(eventsOf(events, 'step_observed').at(-1)).toMatchObject({ outcome: 'cancelled' });
    expect(events.at(-1)).toMatchObject({ type: 'run_terminated', detail: { budget: { used: { tool_calls: 2 } } } });
  },
);

/** A tool that takes four seconds. */
const slowTool =
  (bench: () => Rig): Behaviour =>
  async (_args, { signal }) => {
    await bench().clock.until(bench().clock.nowMs() + 4_000, signal);
    return { ok: true };
  };

verifies(
  'budget:workflow:timeout-at-run-context',
  'times out after ten seconds of three calls that take four each',
  async () => {
    const execute = slowTool(() => bench);
    const bench: Rig = rig({
      tools: { wait: { execute }, finish: { execute, produces: ['done'] } },
      plans: [
        planOf([
          { id: 'a', tool: 'wait', params: { n: 1 } },
          { id: 'b', tool: 'wait', params: { n: 2 } },
          { id: 'c', tool: 'finish' },
        ]),
      ],
      caps: { ...CAPS, wall_clock_seconds_max: 10 },
    });
    const outcome = await bench.invoke();
    expect(outcome).toMatchObject({ terminalCode: 'TIMEOUT', reason: 'workflow_timeout' });
    const events = await bench.events(outcome.runId);
    const [first] = events;
    expect((events.at(-1)?.at ?? 0) - (first?.at ?? 0)).toBe(10_000);
    expect(eventsOf(events, 'step_committed')).toHaveLength(2);
    expect(bench.dispatches).toHaveLength(3);
  },
);

verifies(
  'terminate:timeout:distinct-from-budget',
  'time and tokens run out together: TIMEOUT, with the other code recorded as suppressed',
  () => {
    const run = turns({
      tools: { read: { produces: ['done'] } },
      caps: { ...CAPS, wall_clock_seconds_max: 10, output_tokens_max: 100 },
    });
    run.say(proposed(planOf([{ id: 'a', tool: 'read' }])));
    run.say(answered(run, { spent: { input_tokens: 0, output_tokens: 101, microusd: 0 } }), 10_000);
    expect(run.state.ending.terminal).toMatchObject({ code: 'TIMEOUT', suppressed: ['BUDGET_EXHAUSTED'] });
  },
);

verifies(
  'terminate:timeout:distinct-from-budget',
  "two hours at a gate do not count; the gate's own limit does",
  () => {
    const HOUR = 3_600_000;
    const waiting = (gateTtlMs: number) => {
      const run = turns({
        tools: { pay: { approval_mode: 'destructive', gates: ['GATE_PAY'], produces: ['done'] } },
        caps: { ...CAPS, wall_clock_seconds_max: 10 },
        options: { limits: { gateTtlMs } },
      });
      run.say(proposed(planOf([{ id: 'a', tool: 'pay', requires: ['GATE_PAY'] }])));
      run.say({ type: 'time_passed' }, 2 * HOUR);
      return run;
    };
    const patient = waiting(3 * HOUR);
    expect(patient.state.session.status).toBe('awaiting_gate');
    const [gate] = patient.state.people.gates;
    const { gateId: gate_id = '', packetHash: packet_hash = '' } = gate ?? {};
    patient.say({ type: 'gate_decided', gate_id, packet_hash, decision: 'approve', approver: 'boss', reason: 'ok' });
    patient.say(answered(patient), 2 * HOUR + 9_999);
    expect(patient.state.ending.terminal).toMatchObject({ code: 'SUCCESS' });
    const impatient = waiting(2 * HOUR);
    expect(impatient.state.ending.terminal).toMatchObject({ code: 'CONFIRM_REQUIRED', reason: 'gate_expired' });
    expect(impatient.state.session.status).toBe('expired');
  },
);

verifies(
  'budget:control-wallclock:timeout-terminates',
  'a tool that ignores the abort signal does not hold the run',
  async () => {
    const bench = rig({
      tools: { hang: { execute: neverAnswers, timeout_ms: 600_000 } },
      plans: [planOf([{ id: 'a', tool: 'hang' }])],
      caps: { ...CAPS, wall_clock_seconds_max: 10 },
    });
    expect(await bench.invoke()).toMatchObject({ terminalCode: 'TIMEOUT' });
    expect(bench.clock.next()).toBeNull();
  },
);
