import type { EndedRun } from '../../../model/events/answer-text.ts';
import type { RunEvent } from '../../../model/events/event.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import type { WaitingRun } from '../../../model/run/wait-text.ts';

/** The part of a run handle that a front end reads, from `runtime.start(…)` or `runtime.sessions.follow(…)`. */
export interface UIRun {
  readonly id: string;
  readonly events: AsyncIterable<UIRunEvent>;
  readonly settled: Promise<UIRunOutcome>;
  packet(packetHash: string): Promise<JsonObject>;
  cancel(reason: string): Promise<unknown>;
}

export interface UIRunEvent {
  readonly cursor: string;
  readonly event: RunEvent;
}

export interface UIRunOutcome extends EndedRun, WaitingRun {
  readonly reason: string | null;
  readonly why: readonly string[];
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly usd: number;
    readonly toolCalls: number;
  };
}

/** The content of a message that a browser is shown. */
export interface UIContent {
  /**
   * `shown` sends the checked results of tools and the words of their failures to the browser. `none`, the default, only
   * says whether a call is done or has failed, because outsiders may have written parts of a result.
   */
  readonly toolOutputs?: 'none' | 'shown';
  /**
   * `shown`, the default, sends each approval packet and asks for a decision. `none` only says that a gate waits, for
   * users who may not decide.
   */
  readonly approvals?: 'none' | 'shown';
}
