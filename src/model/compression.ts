import type { JsonObject } from './json.ts';

/** What a run cannot go on without. A compression hands each of these over unchanged or is refused. */
export const KEPT_CLASSES = [
  'goal_and_criteria',
  'plan_and_dependencies',
  'verified_observations',
  'open_questions',
  'budget_state',
  'trace_pointers',
  'approval_state',
] as const;
export type KeptClass = (typeof KEPT_CLASSES)[number];

/** What may not stay in front of the model once a run is compressed; the trace still holds it. */
export const DROPPED_CLASSES = [
  'raw_deliberation',
  'superseded_plan',
  'redundant_output',
  'unsupported_assumption',
  'reflection_chatter',
] as const;
export type DroppedClass = (typeof DROPPED_CLASSES)[number];

/** Material of no lasting worth, and where the trace keeps it. */
export interface LooseItem {
  readonly class: DroppedClass;
  readonly pointer: string;
  /** For a redundant output, the verified observation that says the same. */
  readonly summarized_by?: string;
}

/** Everything a model would be shown next, as the compression contract sees it. */
export interface ActiveContext {
  /** Verified observations are keyed by their ids. */
  readonly kept: Readonly<Record<KeptClass, JsonObject>>;
  readonly loose: readonly LooseItem[];
  /** Trace pointers of what was shown once and is not any more. */
  readonly demoted: readonly string[];
}
