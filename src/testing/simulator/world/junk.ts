import { HANDLERS } from '../../../kernel/handlers.ts';
import type { RunState } from '../../../kernel/state.ts';
import type { RunEvent } from '../../../model/event.ts';
import { NO_COST } from '../../../model/tool.ts';
import type { Prng } from '../prng.ts';

const TYPES: readonly string[] = [...Object.keys(HANDLERS), 'constructor', '__proto__', ''];

/** An event nobody asked for: of any type, about the step and call under way or about nothing, whole or in pieces. */
export function junkEvent(prng: Prng, state: RunState): RunEvent {
  const at = prng.pick([state.now, state.now + 1, state.now - 1, Number.NaN, 0]);
  const type = prng.any(TYPES);
  const body: Record<string, unknown> = prng.chance(0.5) ? plausible(prng, state) : pieces(prng);
  return { ...body, type, at } as unknown as RunEvent;
}

/** Fields of many events at once, with names that really exist in this run. */
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
