import { BEGINNING } from '../../session/journal-writer.ts';
import { foldFrames, sameState } from './fold.ts';
import { RUN_LAWS } from './laws/run-laws.ts';
import type { Life, Simulation } from './simulation.ts';

/** A process that knows nothing but the journal. */
export function reborn(sim: Simulation, id: number): Life {
  sim.lives = id;
  const frames = sim.store.load();
  const last = frames.at(-1);
  const state = foldFrames(sim.scenario.pins.env, frames);
  if (!sameState(state, sim.auditor.state)) {
    sim.auditor.accuse(RUN_LAWS.reload, `${frames.length} frames fold to another state than the run had`);
  }
  const place = last === undefined ? BEGINNING : { seq: last.seq, head: last.hash };
  return { id, writer: `process_${id}`, state, place };
}
