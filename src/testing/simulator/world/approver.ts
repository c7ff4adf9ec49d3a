import type { OpenGate } from '../../../kernel/people-state.ts';
import type { EventOf } from '../../../model/event.ts';
import type { GateDecisionKind } from '../../../model/gate.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { Prng } from '../prng.ts';
import { NAMES, NOBODY } from './names.ts';
import type { Planned } from './planned.ts';

const ANOTHER_PACKET = `sha256:${'0'.repeat(64)}`;

/** How somebody who is asked at a gate answers: in the best case once, in time, by name, about what was shown. */
export function decideGate(
  prng: Prng,
  fault: number,
  gate: OpenGate,
  now: number,
  args: JsonObject,
): readonly Planned[] {
  const person = prng.pick(NAMES);
  const said = answer(gate, { decision: randomDecision(prng, fault), approver: person });
  const honest = said.decision === 'edit' ? { ...said, parameters: edited(prng, args) } : said;
  const inTime = { at: now + prng.int(1_000, 300_000), body: honest };
  if (!prng.chance(fault)) return [inTime];
  const approve = { decision: 'approve' as const, approver: person };
  switch (prng.pick(['absent', 'late', 'nameless', 'another_packet', 'twice', 'undecided'] as const)) {
    case 'absent':
      return [];
    case 'late':
      return [{ at: gate.expiresAt + prng.int(0, 60_000), body: answer(gate, approve) }];
    case 'nameless':
      return [{ at: now + 1, body: answer(gate, { ...approve, approver: NOBODY }) }, inTime];
    case 'another_packet':
      return [{ at: now + 1, body: { ...answer(gate, approve), packet_hash: ANOTHER_PACKET } }, inTime];
    case 'twice':
      return [inTime, { ...inTime, at: inTime.at + prng.int(0, 5_000) }];
    case 'undecided':
      return [1, 2, 3, 4].map((turn) => ({
        at: now + turn * 500,
        body: answer(gate, { decision: 'request_info', approver: person }),
      }));
  }
}

type GateAnswer = Omit<EventOf<'gate_decided'>, 'at'>;

function answer(gate: OpenGate, said: Pick<GateAnswer, 'decision' | 'approver'>): GateAnswer {
  const { gateId: gate_id, packetHash: packet_hash } = gate;
  return { type: 'gate_decided', gate_id, packet_hash, ...said, reason: 'simulated' };
}

/** Most who change something take an argument back to what it was or away; not every schema has it. */
function edited(prng: Prng, args: JsonObject): JsonObject {
  const kept = Object.entries(args).filter(() => prng.chance(0.8));
  return Object.fromEntries(kept);
}

function randomDecision(prng: Prng, fault: number): GateDecisionKind {
  if (prng.chance(0.03)) return 'reject';
  return prng.chance(fault / 4) ? prng.pick(['edit', 'request_info']) : 'approve';
}
