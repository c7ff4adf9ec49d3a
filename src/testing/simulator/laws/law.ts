import type { RunState } from '../../../kernel/state.ts';
import type { Effect } from '../../../model/effect.ts';
import type { RunEvent } from '../../../model/event.ts';
import type { Frame } from '../../../model/frame.ts';
import type { Address } from '../../../model/hash.ts';
import type { Scenario } from '../scenario.ts';
import type { ToolLedger } from '../world/tool-world.ts';

/** One event of the journal, folded: what was, what happened, what is, and what the kernel wanted. */
export interface Moment {
  readonly before: RunState;
  readonly event: RunEvent;
  readonly after: RunState;
  readonly effects: readonly Effect[];
}

/** What a person really said yes to, as the world knows it. */
export interface Approval {
  readonly packetHash: string;
  readonly approver: string;
}

/** Everything a law may look at. None of it was written down by the kernel on its own word but the frames. */
export interface Witness {
  readonly scenario: Scenario;
  readonly approvals: readonly Approval[];
  readonly tools: ToolLedger;
  readonly blobs: ReadonlyMap<Address, string>;
  frames(): readonly Frame[];
}

/** A promise that every run keeps. What it answers is what was broken, in words; null means that it holds. */
export interface Law {
  readonly name: string;
  /** Asked after every event. */
  readonly event?: (moment: Moment) => string | null;
  /** Asked once, when the run has ended. */
  readonly end?: (final: RunState) => string | null;
}

/** A law may remember what it has seen, so each run gets its own. */
export type LawOf = (witness: Witness) => Law;
