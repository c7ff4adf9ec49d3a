import type { SentCall } from '../../model/gate/call-in-doubt.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import type { Drafts } from '../../model/plan/plan.ts';
import type { LaneNote } from '../../model/run/lane.ts';
import type { EffectOutcome, RevocationOutcome, RollbackSpent } from '../../model/tool/effect-outcome.ts';
import type { RealCall } from '../../model/tool/inner-call.ts';
import type { StoredAnswer } from '../../model/tool/observation.ts';
import type { ToolCost, ToolOutcome } from '../../model/tool/tool.ts';

/** Identifies a call by tool and arguments: what holds for one call holds for an equal call of any plan or step. */
export const callKey = (tool: string, argsHash: string): string => `${tool} ${argsHash}`;

export const toolOfKey = (key: string): string => key.slice(0, key.indexOf(' '));

export const argsHashOfKey = (key: string): string => key.slice(key.indexOf(' ') + 1);

/**
 * A call that may have had its effect. `key` is its idempotency key, `since` the earliest time of the effect, and
 * `until` the time after which the call can no longer be in flight. A person's decision made earlier takes effect at
 * `until`.
 */
export interface Doubt {
  readonly key: string;
  readonly since: number;
  readonly until: number;
  readonly decided: boolean;
  /** The call belongs to a parent, a lane or the run this one was forked from, so its key must not be used here. */
  readonly foreign?: true;
  /** The tool that has the effect, if the call was made through a dispatcher. */
  readonly tool?: string;
  /** The call as this run sent it. */
  readonly sent?: SentCall;
}

/** The open circuit breaker of a tool: how often it opened, and when one call may test the tool again. */
export interface OpenBreaker {
  readonly times: number;
  readonly until: number;
}

export type TrippedTools = Readonly<Record<string, OpenBreaker>>;

/** Drafted arguments of one plan, by step. A later plan is drafted again, even if it is identical. */
export interface PlanDrafts {
  readonly planHash: string;
  readonly byStep: Readonly<Record<string, Drafts>>;
}

/** The revocation of an ending run's credentials. `outcome` is null until the answer arrives. */
export interface Revocation {
  readonly confirmedBy: string;
  readonly outcome: RevocationOutcome | null;
}

/** A call that changed something, with the data that a rollback needs. */
export interface MadeEffect {
  readonly callId: string;
  readonly stepId: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** The inner call, if the tool is a dispatcher. */
  readonly innerCall?: RealCall;
  readonly argsHash: string;
  readonly key: string;
  readonly attempt: number;
  /** The time when its answer was committed or last observed. */
  readonly doneAt: number;
  /** The confirmed part of its answer. */
  readonly result: Json;
  /** The answer and all arguments come from trusted sources. */
  readonly trusted: boolean;
  /** The compensating tool; null if the tool declares none, which is allowed. */
  readonly compensate: string | null;
  /** The run that this one was forked from made the call, and only that run compensates it. */
  readonly ofParent?: true;
}

/** The rollback of an abandoned run, newest effect first. */
export interface Rollback {
  readonly left: readonly MadeEffect[];
  readonly at: MadeEffect | null;
  readonly settled: readonly EffectOutcome[];
  /** The cost of the compensations, which does not count against the run's budget. */
  readonly spent: RollbackSpent;
}

/** The graph nodes entered during one event, last one first: a linked list is cheapest for a few moves. */
export type Moves = { readonly to: string; readonly before: Moves } | null;

/** Returns the nodes in the order in which they were entered. */
export function movesMade(moves: Moves): readonly string[] {
  const made: string[] = [];
  for (let move = moves; move !== null; move = move.before) made.unshift(move.to);
  return made;
}

/** A call that is about to be sent, or was sent. */
export interface CallState {
  readonly callId: string;
  readonly key: string;
  readonly dispatchBefore: number;
  readonly timeoutMs: number;
  /** The reconcile probe of this attempt has answered; it runs only once. */
  readonly reconciled: boolean;
}

/** The answer to a call, or the lack of one. */
export interface ObservedState {
  readonly outcome: ToolOutcome;
  readonly raw: Json;
  readonly detail: string;
  readonly spent: ToolCost;
  readonly confirmed: 'all' | readonly string[];
  /** Age of a cached answer that replaces an unavailable tool's. */
  readonly ageMs?: number;
  /** The call never reached its tool. */
  readonly unsent?: true;
  /** Its tool said that it did nothing. */
  readonly refused?: true;
  /** The model behind the tool is misconfigured. */
  readonly misconfigured?: true;
  /** Findings from the full answer, if `raw` holds only its address. */
  readonly stored?: StoredAnswer;
  /** Outcome of the lane that did the work, if one did. */
  readonly lane?: Pick<LaneNote, 'status'> & { readonly trusted: boolean };
  /** The probe that found the result after the tool's own answer was lost; its trust is the probe's. */
  readonly foundBy?: string;
}
