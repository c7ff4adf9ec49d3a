import type { KernelEnv } from '../../kernel/index.ts';
import type { Frame } from '../../model/events/frame.ts';
import type { Address } from '../../model/json/hash.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { DriveEnv } from '../drive.ts';
import {
  eventsInFrames,
  readPins,
  rulesAddress,
  rulesBlob,
  withRecordedRules,
  withUnrecordedRules,
} from '../recorded-rules.ts';
import type { RunPins } from './effects.ts';

/** Returns the environment to read the frames of a run with. */
export type RulesOf = (frames: readonly Frame[]) => Promise<KernelEnv>;

/**
 * Returns the drive environment of a run, usually that of this process. A run that was started under other limits or
 * gates keeps them to its end, so that a takeover and a replay decide in the same manner.
 */
export function drivesByRules(
  pins: RunPins,
  journal: Journal,
  own: DriveEnv,
  driveWith: (decided: RunPins) => DriveEnv,
): (frames: readonly Frame[]) => Promise<DriveEnv> {
  const others = new Map<Address | 'not_kept', DriveEnv>();
  const envOf = async (at: Address | 'not_kept'): Promise<KernelEnv> =>
    at === 'not_kept' ? withUnrecordedRules(pins.env) : withRecordedRules(pins.env, await readPins(journal, at));
  return async (frames) => {
    const at = rulesAddress(eventsInFrames(frames));
    if (at === null || at === rulesBlob(pins.env).address) return own;
    const known = others.get(at) ?? driveWith({ ...pins, env: await envOf(at) });
    others.set(at, known);
    return known;
  };
}
