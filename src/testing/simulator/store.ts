import { type MemoryDisk, memoryDisk } from '../../adapters/memory/disk.ts';
import { readFrames } from '../../adapters/memory/read.ts';
import { rule, write } from '../../adapters/memory/write.ts';
import type { RunState } from '../../kernel/state.ts';
import type { Turn } from '../../kernel/turn.ts';
import { Fault } from '../../model/fault.ts';
import { type Frame, sealFrame } from '../../model/frame.ts';
import type { Hash } from '../../model/hash.ts';
import { checkAppend } from '../../ports/journal-rules/check-append.ts';
import type { Place } from '../../session/journal-writer.ts';
import { project, settledResult } from '../../session/projections.ts';

/** The journal in memory under its own rules, asked without waiting. */
export interface Store {
  readonly disk: MemoryDisk;
  /** All frames so far, as stored. */
  frames(): readonly Frame[];
  /** Reads the session back as a new process would, its chain verified. */
  load(): readonly Frame[];
  /** The stored frame, or the fault that refused it; then nothing was stored. */
  append(place: Place, writer: string, before: RunState, turn: Turn): Frame | Fault;
}

const NONE: readonly Frame[] = Object.freeze([]);

export function simulatedStore(hash: Hash, session: string, agent: string): Store {
  const disk = memoryDisk();
  return {
    disk,
    frames: () => disk.frames.get(session) ?? NONE,
    load: () => readFrames(disk, hash, session, 1),
    append: (place, writer, before, turn) => {
      const events = JSON.stringify(turn.events);
      const unsealed = { session, seq: place.seq + 1, at: turn.state.now, writer, events, prev: place.head };
      const frame = sealFrame(unsealed, hash);
      const settled = settledResult(before, turn, hash);
      const projections = project(before, turn, frame, { agent, settled });
      const blobs = settled === null ? turn.blobs : [...turn.blobs, settled];
      const append = { session, expectedSeq: place.seq, frame, blobs, projections, writer };
      try {
        checkAppend(append, hash);
      } catch (error) {
        return Fault.is(error) ? error : new Fault('internal', String(error), { cause: error });
      }
      const ruling = rule(disk, append);
      if (ruling === 'free') write(disk, append);
      return typeof ruling === 'string' ? frame : ruling;
    },
  };
}
