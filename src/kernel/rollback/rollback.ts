import type { EffectOutcome, RollbackSpent } from '../../model/effect-outcome.ts';
import type { RealCall } from '../../model/inner-call.ts';
import type { Json, JsonObject } from '../../model/json.ts';

/** A call that changed something, as whoever takes it back has to know it. */
export interface MadeEffect {
  readonly callId: string;
  readonly stepId: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** The call that was really made, where the tool has passed it on to another one. */
  readonly passedOn?: RealCall;
  readonly argsHash: string;
  readonly key: string;
  readonly attempt: number;
  /** When its answer was committed, or seen last. */
  readonly doneAt: number;
  /** What it brought back, as far as it was confirmed. */
  readonly result: Json;
  /** What it brought back, and everything it was given, comes from sources that are trusted. */
  readonly trusted: boolean;
  /** The tool that takes it back; null where there is none, which is no mistake. */
  readonly compensate: string | null;
  /** The run that this one was forked from has done it, and alone takes it back. */
  readonly ofParent?: true;
}

/** The walk back over what an abandoned run has done, newest first. */
export interface Rollback {
  readonly left: readonly MadeEffect[];
  readonly at: MadeEffect | null;
  readonly settled: readonly EffectOutcome[];
  /** What it costs to take things back is no part of what the run was allowed to spend on its work. */
  readonly spent: RollbackSpent;
}
