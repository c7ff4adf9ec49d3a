import type { KernelEnv } from '../kernel/env.ts';
import type { Frame } from '../model/frame.ts';
import type { Address } from '../model/hash.ts';
import type { Journal } from '../ports/journal.ts';
import { decidedAt, decidedBy, decidingAsBefore, decidingWith, eventsIn, readPins } from './decided-by.ts';
import type { DriveEnv } from './drive.ts';
import type { RunPins } from './effects.ts';

/** What the frames of a run are read with. */
export type RulesOf = (frames: readonly Frame[]) => Promise<KernelEnv>;

/**
 * What a run is driven with: nearly always what this process has. A run that was begun under other limits or gates keeps
 * them to its end, so that whoever takes it over, and whoever replays it, decides as it was decided from the start.
 */
export function drivesByRules(
  pins: RunPins,
  journal: Journal,
  own: DriveEnv,
  driveWith: (decided: RunPins) => DriveEnv,
): (frames: readonly Frame[]) => Promise<DriveEnv> {
  const others = new Map<Address | 'not_kept', DriveEnv>();
  const envOf = async (at: Address | 'not_kept'): Promise<KernelEnv> =>
    at === 'not_kept' ? decidingAsBefore(pins.env) : decidingWith(pins.env, await readPins(journal, at));
  return async (frames) => {
    const at = decidedAt(eventsIn(frames));
    if (at === null || at === decidedBy(pins.env).address) return own;
    const known = others.get(at) ?? driveWith({ ...pins, env: await envOf(at) });
    others.set(at, known);
    return known;
  };
}
