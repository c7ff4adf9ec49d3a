import type { RunState } from '../../../kernel/state.ts';
import type { EventBody } from '../../../model/event.ts';
import type { Prng } from '../prng.ts';
import { NAMES, NOBODY } from './names.ts';
import type { Planned } from './planned.ts';

const soon = (prng: Prng, now: number): number => now + prng.int(1_000, 300_000);

/** Whoever decides names what they were shown. */
function aboutShown({ people }: RunState): { readonly packet_hash?: string } {
  const packetHash = people.escalation?.packetHash ?? null;
  return packetHash === null ? {} : { packet_hash: packetHash };
}

/** What somebody who was handed a run makes of it. Where it ran out of something they may give more. */
export function decideEscalation(prng: Prng, fault: number, state: RunState, now: number): readonly Planned[] {
  if (prng.chance(fault / 2)) return [];
  const why = { by: prng.chance(fault / 4) ? NOBODY : prng.pick(NAMES), reason: 'simulated', ...aboutShown(state) };
  const dimension = state.people.escalation?.stop.detail?.['dimension'];
  if (typeof dimension === 'string' && prng.chance(0.6)) {
    const delta = { [dimension]: prng.pick([1, 10, 1_000_000]) };
    return [{ at: soon(prng, now), body: { type: 'budget_extended', ...why, delta } }];
  }
  const decision = prng.pick(['continue', 'continue', 'finalize', 'terminate'] as const);
  return [{ at: soon(prng, now), body: { type: 'escalation_decided', decision, ...why } }];
}

export function liftPause(prng: Prng, fault: number, now: number): readonly Planned[] {
  if (prng.chance(fault / 2)) return [];
  const operator = !prng.chance(fault / 2);
  return [{ at: soon(prng, now), body: { type: 'run_resumed', by: prng.pick(NAMES), operator } }];
}

/** Whoever is refused tries the next best thing, or gives up. */
export function insist(prng: Prng, refused: EventBody, now: number): readonly Planned[] {
  if (refused.type === 'run_resumed' && !refused.operator) return liftPause(prng, 0, now);
  const decided = refused.type === 'escalation_decided' || refused.type === 'budget_extended';
  if (!decided || prng.chance(0.2)) return [];
  const gentle = refused.type === 'escalation_decided' && refused.decision === 'continue';
  const decision = gentle ? 'finalize' : 'terminate';
  const about = refused.packet_hash === undefined ? {} : { packet_hash: refused.packet_hash };
  const who = { by: prng.pick(NAMES), reason: 'once more' };
  const body = { type: 'escalation_decided' as const, decision, ...who, ...about } as const;
  return [{ at: soon(prng, now), body }];
}
