import type { MadeEffect, RunState } from '../../../kernel/index.ts';
import type { Effect } from '../../../model/events/effect.ts';
import type { RunEvent } from '../../../model/events/event.ts';
import type { Frame } from '../../../model/events/frame.ts';
import type { Address } from '../../../model/json/hash.ts';
import type { ToolCall } from '../../../model/tool/tool.ts';
import type { Scenario } from '../scenario.ts';
import type { ToolLedger } from '../world/tool-world.ts';

/** One folded event: the states before and after it, and its effects. */
export interface Moment {
  readonly before: RunState;
  readonly event: RunEvent;
  readonly after: RunState;
  readonly effects: readonly Effect[];
}

/** An approval that a person really gave, as recorded by the simulated world. */
export interface Approval {
  readonly packetHash: string;
  /** The gates that the approval names, if the packet is for several. */
  readonly gates?: readonly string[];
  readonly approver: string;
}

/** The evidence that a law may use. Apart from the frames, none of it was recorded by the kernel. */
export interface Witness {
  readonly scenario: Scenario;
  readonly approvals: readonly Approval[];
  readonly tools: ToolLedger;
  readonly blobs: ReadonlyMap<Address, string>;
  frames(): readonly Frame[];
}

/** An invariant of every run. Its functions describe the violation, or return null. */
export interface Law {
  readonly name: string;
  /** Called after every event. */
  readonly event?: (moment: Moment) => string | null;
  /** Called once, after the end of the run. */
  readonly end?: (final: RunState) => string | null;
}

/** Creates a law for one run, because a law may keep state. */
export type LawOf = (witness: Witness) => Law;

/** The effect that a call compensates; null for other calls. Only compensations are in no plan. */
export function takenBackBy({ ending }: RunState, { step_id, tool }: ToolCall): MadeEffect | null {
  const at = ending.rollback?.at ?? null;
  return at !== null && at.compensate === tool && step_id === `${at.stepId}:compensate` ? at : null;
}

/** Laws about complete runs and processes, which no single event can break. */
export const RUN_LAWS = {
  determinism: 'determinism',
  replay: 'replay equals run',
  reload: 'reload equals run',
  terminal: 'terminal stays terminal',
  refusal: 'illegal events are refused',
  next: 'a next actor is known',
  store: 'the store takes what the kernel makes',
  ownFault: 'no fault of its own',
} as const;
