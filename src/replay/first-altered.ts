import { missingVersion } from '../kernel/index.ts';
import type { Frame } from '../model/events/frame.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import { Fault } from '../model/fault/fault.ts';
import { reasonOf } from '../model/json/printable.ts';
import type { AlteredEvent } from '../model/record/altered-event.ts';
import type { RunManifest } from '../model/run/manifest.ts';
import { type ReplayEnv, replayTurns } from './replay.ts';

/**
 * The first recorded event that does not follow from the recorded inputs; null if every turn leads to its recorded bytes.
 * Throws `version_changed` if the run was made with rules that are not here, because other rules prove nothing.
 */
export function firstAltered(replay: ReplayEnv, frames: readonly Frame[]): AlteredEvent | null {
  let at = 0;
  try {
    let known = false;
    for (const { state } of replayTurns(replay, frames)) {
      at += 1;
      if (!known && state.manifest !== null) assertVersions(replay, state.manifest);
      known = state.manifest !== null;
    }
    return null;
  } catch (error) {
    if (Fault.is(error) && error.code === 'version_changed') throw error;
    const frame = frames[at];
    if (frame === undefined) throw error;
    const why = reasonOf(error).replace(/^frame \d+: /, '');
    return { frame: frame.seq, message: `${nameOf(frame, error)} does not follow from the events before it (${why})` };
  }
}

function assertVersions({ env }: ReplayEnv, manifest: RunManifest): void {
  const missing = missingVersion(env, manifest);
  if (missing !== null) throw new Fault('version_changed', missing);
}

/** The name of the event that a fault points to. */
function nameOf(frame: Frame, error: unknown): string {
  const place = Fault.is(error) ? Number(error.path?.split('/')[1] ?? 0) : 0;
  const events = frameEvents(frame);
  return (events[place] ?? events[0])?.type ?? 'an event';
}
