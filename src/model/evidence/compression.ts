import type { JsonObject } from '../json/json.ts';

/** The content a run needs to continue. A compression must keep each of these unchanged; otherwise it is refused. */
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

/** The content that must not stay in the model's context after a compression; the trace still holds it. */
export const DROPPED_CLASSES = [
  'raw_deliberation',
  'superseded_plan',
  'redundant_output',
  'unsupported_assumption',
  'reflection_chatter',
] as const;
/** Older messages of a thread are dropped too. The digest says what is still needed of them. */
export type DroppedClass = (typeof DROPPED_CLASSES)[number] | 'earlier_message';

/** An item without lasting value, and its place in the trace. */
export interface DroppableItem {
  readonly class: DroppedClass;
  readonly pointer: string;
  /** For a redundant output, the verified observation with the same content. */
  readonly summarized_by?: string;
}

/** The model's next context, as the compression contract sees it. */
export interface ActiveContext {
  /** Verified observations are keyed by their ids. */
  readonly kept: Readonly<Record<KeptClass, JsonObject>>;
  readonly loose: readonly DroppableItem[];
  /** Trace pointers of items that are no longer shown. */
  readonly demoted: readonly string[];
}
