import { HANDLERS, type RunState, step } from '../../kernel/index.ts';
import type { RunEvent } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { NO_COST } from '../../model/tool/tool.ts';
import { RUN_LAWS } from './laws/law.ts';
import type { Prng } from './prng.ts';
import type { Simulation } from './simulation.ts';

const TYPES: readonly string[] = [...Object.keys(HANDLERS), 'constructor', '__proto__', ''];

/** An unexpected event of any type, with ids of the current step and call or with random fields. */
function junkEvent(prng: Prng, state: RunState): RunEvent {
  const at = prng.pick([state.now, state.now + 1, state.now - 1, Number.NaN, 0]);
  const type = prng.any(TYPES);
  const body: Record<string, unknown> = prng.chance(0.5) ? plausible(prng, state) : pieces(prng);
  return { ...body, type, at } as unknown as RunEvent;
}

/** Fields of many event types at once, with ids that exist in this run. */
function plausible(prng: Prng, state: RunState): Record<string, unknown> {
  const spent = NO_COST;
  return {
    call_id: state.current?.call?.callId ?? 'call_1',
    step_id: state.current?.stepId ?? 's1',
    outcome: 'ok',
    raw: {},
    spent,
    ok: prng.chance(0.5),
    confirmed: 'all',
    validator: 'junk@1',
    problems: [],
    version: state.work.version + 1,
    evidence_id: 'ev_1',
    scores: { policy: 1, utility: 1 },
    findings: [],
    unmet: [],
    verdict: prng.pick(['ok', 'replan', 'reject']),
    plan_hash: 'sha256:junk',
    checks: [],
    projected: {},
    proposal: { steps: [] },
    author: 'model',
    context_tokens: 0,
    args: {},
    args_hash: 'sha256:junk',
    mode: 'read_only',
    gates: [],
    layer: 'schema',
    code: 'SUCCESS',
    message: 'junk',
    missing: [],
    gate_id: state.people.gates[0]?.gateId ?? 'gate_1',
    packet_hash: state.people.gates[0]?.packetHash ?? 'sha256:junk',
    claims: [],
    text: 'junk',
    proposals: [],
    status: 'completed',
    suppressed: [],
    reason: 'junk',
    record: 'sha256:junk',
    token: null,
    cleared: true,
    to: 'finalize',
  };
}

function pieces(prng: Prng): Record<string, unknown> {
  const names = ['call_id', 'step_id', 'spent', 'goal', 'stop', 'escalation', 'claims', 'delta', 'scores', 'by'];
  return Object.fromEntries(
    prng.some(names, 0.4).map((name) => [name, prng.pick<unknown>([null, undefined, 7, 'x', [], {}, { a: [] }])]),
  );
}

/** Offers an unexpected event to the kernel. It must not throw, and a refusal must change nothing. */
export function probe({ auditor, prng, scenario, freeze }: Simulation): void {
  const { state } = auditor;
  const event = freeze ? deepFreeze(junkEvent(prng, state)) : junkEvent(prng, state);
  try {
    const [next, effects, fault] = step(scenario.pins.env, state, event);
    if (fault === undefined) return;
    if (!Fault.is(fault)) auditor.accuse(RUN_LAWS.refusal, `${event.type} was refused with something that is no Fault`);
    if (next !== state || effects.length > 0)
      auditor.accuse(RUN_LAWS.refusal, `${event.type} was refused and changed something`);
  } catch (error) {
    auditor.accuse(RUN_LAWS.refusal, `${event.type} threw ${String(error)}`);
  }
}

/** Checks that a finished run accepts no event. */
export function probeFinishedRun(sim: Simulation): void {
  const { auditor, prng, scenario } = sim;
  const { state } = auditor;
  for (let count = 0; count < 3; count += 1) {
    const event = { ...junkEvent(prng, state), at: state.now + count };
    const [next, , fault] = step(scenario.pins.env, state, event);
    if (fault === undefined || next !== state) {
      auditor.accuse(RUN_LAWS.terminal, `${event.type} was accepted after the end`);
    }
  }
}
