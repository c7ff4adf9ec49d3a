import type { Turn } from '../../kernel/turn.ts';
import { Fault } from '../../model/fault.ts';
import type { Frame } from '../../model/frame.ts';
import { UNKNOWN_RETRIES_MAX } from '../../session/journal-writer.ts';
import type { Life, Simulation } from './simulation.ts';

/** What becomes of one offer: heard; lost on the way there, or on the way back; or refused by a store that is down. */
type Fate = 'heard' | 'lost_there' | 'lost_back' | 'refused';

/** Offers a frame as the loop does: the identical one again while its fate is unknown, and not for ever. */
export function offer(sim: Simulation, life: Life, turn: Turn): Frame | Fault {
  for (let attempt = 0; attempt <= UNKNOWN_RETRIES_MAX; attempt += 1) {
    const fate = fateOf(sim, attempt);
    if (fate === 'refused') return new Fault('store_unavailable', 'the store is down');
    const answer = fate === 'lost_there' ? null : sim.store.append(life.place, life.writer, life.state, turn);
    if (answer !== null && fate === 'heard') return answer;
    sim.tell(`process ${life.id} is not told whether frame ${life.place.seq + 1} was stored`);
  }
  return new Fault('store_unknown', 'the store never said whether the frame was stored');
}

/** A store that has failed is likely to fail again at once. */
const FAILS_AGAIN = 0.7;

function fateOf({ prng, scenario }: Simulation, attempt: number): Fate {
  const { outage } = scenario.temper;
  if (!prng.chance(attempt === 0 ? outage : FAILS_AGAIN)) return 'heard';
  return prng.pick(['lost_there', 'lost_back', 'lost_back', 'refused']);
}
