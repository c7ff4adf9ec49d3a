/** Where a run that decides one step at a time goes next. */
export type ReactiveRoute =
  | { readonly to: 'direct_chat' | 'task_extraction' | 'classifier' | 'reactive_orchestrator' }
  | { readonly to: 'capability'; readonly capability: string }
  | { readonly to: 'error'; readonly reason: 'max_iterations_exceeded' };

/** All that the way on depends on. */
export interface ReactiveSituation {
  /** The model answers by itself, because the task is one that needs no tool. */
  readonly directChat: boolean;
  readonly error: { readonly retriable: boolean; readonly capability: string } | null;
  readonly stepCount: number;
  readonly stepsMax: number;
  /** What there is to do has been said. */
  readonly hasTask: boolean;
  /** It is known which capabilities this run may use. */
  readonly hasCapabilities: boolean;
  /** The capability of the step that was decided and not carried out yet. */
  readonly pending: string | null;
}

/**
 * The priorities of the reactive mode, highest first: an answer without tools, an error, the bound on steps, stages that
 * are missing, the step that was decided, and otherwise back to whoever decides. An error comes before the bound, so
 * that a run never ends on a failure nobody has looked at.
 */
export function reactiveRoute(situation: ReactiveSituation): ReactiveRoute {
  const { directChat, error, stepCount, stepsMax, hasTask, hasCapabilities, pending } = situation;
  if (directChat) return DIRECT_CHAT;
  if (error !== null) return error.retriable ? { to: 'capability', capability: error.capability } : ORCHESTRATOR;
  if (stepCount > stepsMax) return TOO_MANY_STEPS;
  if (!hasTask) return TASK_EXTRACTION;
  if (!hasCapabilities) return CLASSIFIER;
  return pending === null ? ORCHESTRATOR : { to: 'capability', capability: pending };
}

const DIRECT_CHAT: ReactiveRoute = Object.freeze({ to: 'direct_chat' });
const TASK_EXTRACTION: ReactiveRoute = Object.freeze({ to: 'task_extraction' });
const CLASSIFIER: ReactiveRoute = Object.freeze({ to: 'classifier' });
const ORCHESTRATOR: ReactiveRoute = Object.freeze({ to: 'reactive_orchestrator' });
const TOO_MANY_STEPS: ReactiveRoute = Object.freeze({ to: 'error', reason: 'max_iterations_exceeded' });
