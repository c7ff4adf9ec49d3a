import type { DecisionRecord } from '../../model/decision.ts';
import type { EventOf, EventType, RunEvent } from '../../model/event.ts';
import type { Frame } from '../../model/frame.ts';
import type { Hash } from '../../model/hash.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ToolSpec } from '../../model/tool.ts';
import type { RunTrace } from '../../model/trace.ts';

/** Everything that is left of a run that has ended, for whoever makes something of it. */
export interface FinishedRun {
  readonly trace: RunTrace;
  readonly frames: readonly Frame[];
  readonly record: DecisionRecord;
  /** As they were when the run began. */
  readonly tools: readonly ToolSpec[];
  readonly graph: JsonObject;
  /** The nodes that it came to, in order. */
  readonly path: readonly string[];
  /** What people were shown, by hash. */
  readonly packets: Readonly<Record<string, JsonObject>>;
  /** The run in one file. */
  readonly bundle: Uint8Array;
  readonly hash: Hash;
}

export const eventsIn = ({ frames }: Pick<FinishedRun, 'frames'>): readonly RunEvent[] =>
  frames.flatMap((frame) => JSON.parse(frame.events) as readonly RunEvent[]);

export const ofType = <T extends EventType>(events: readonly RunEvent[], type: T): readonly EventOf<T>[] =>
  events.filter((event) => event.type === type) as unknown as readonly EventOf<T>[];
