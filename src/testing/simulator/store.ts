import { type MemoryDisk, memoryDisk, readMemoryFrames, rule, write } from '../../adapters/memory/disk.ts';
import type { RunState, Turn } from '../../kernel/index.ts';
import { type Frame, sealFrame } from '../../model/events/frame.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Hash } from '../../model/json/hash.ts';
import { checkAppend } from '../../ports/journal/check-append.ts';
import type { JournalPlace } from '../../session/journal-writer.ts';
import { project, settledResult } from '../../session/projections.ts';

/** A synchronous in-memory journal under the rules of the real one. */
export interface Store {
  readonly disk: MemoryDisk;
  frames(): readonly Frame[];
  /** Reads the session like a new process, with its chain verified. */
  load(): readonly Frame[];
  /** The stored frame, or the fault of a refused append, which stored nothing. */
  append(place: JournalPlace, writer: string, before: RunState, turn: Turn): Frame | Fault;
}

const NONE: readonly Frame[] = Object.freeze([]);

export function simulatedStore(hash: Hash, session: string, agent: string): Store {
  const disk = memoryDisk();
  return {
    disk,
    frames: () => disk.frames.get(session) ?? NONE,
    load: () => readMemoryFrames(disk, hash, session, 1),
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

/** Deep equality of states: the same as equal canonical JSON, without serialising. */
export function sameState(a: RunState, b: RunState): boolean {
  return same(a, b);
}

function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Map) return b instanceof Map && same([...a], [...b]);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), b as Readonly<Record<string, unknown>>];
  if (left.length !== Object.keys(right).length) return false;
  return left.every(([key, value]) => Object.hasOwn(right, key) && same(value, right[key]));
}
