import type { DecisionRecord } from '../../model/critic/decision.ts';
import type { EventOf, EventType, RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { JsonObject } from '../../model/json/json.ts';
import type { RunTrace } from '../../model/record/trace.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';

/** All records of a finished run, as input for the reports. */
export interface FinishedRun {
  readonly trace: RunTrace;
  readonly frames: readonly Frame[];
  readonly record: DecisionRecord;
  /** The tools as they were when the run began. */
  readonly tools: readonly ToolSpec[];
  readonly graph: JsonObject;
  /** The visited nodes, in order. */
  readonly path: readonly string[];
  /** The approval packets that people were shown, by hash. */
  readonly packets: Readonly<Record<string, JsonObject>>;
  /** The run as a bundle. */
  readonly bundle: Uint8Array;
  readonly hash: Hash;
}

export const eventsIn = ({ frames }: Pick<FinishedRun, 'frames'>): readonly RunEvent[] => frames.flatMap(frameEvents);

export const ofType = <T extends EventType>(events: readonly RunEvent[], type: T): readonly EventOf<T>[] =>
  events.filter((event) => event.type === type) as unknown as readonly EventOf<T>[];
