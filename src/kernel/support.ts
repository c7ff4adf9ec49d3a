import { own } from '../model/own.ts';
import { assocGet } from './assoc.ts';
import { carryOver } from './carry.ts';
import { isObserved } from './committed.ts';
import type { Carried, RunState } from './state.ts';
import type { Support } from './verify/verify-context.ts';

/** How a model names what it wrote for itself. */
const NOTE = /^note_/;
const CALL = /^call_\d+$/;

/**
 * What something is worth as a reason: a fresh, verified observation is one, and nothing that merely looks like one.
 * Undefined for what this run has never heard of.
 */
export function supportOf(state: RunState, id: string): Support | undefined {
  if (isObserved(state, id)) return isOutdated(state, id) ? 'stale' : 'verified';
  const freshUntil = own(state.intake.freshUntil ?? {}, id);
  if (freshUntil !== undefined) return state.now < freshUntil && !isReplaced(state, id) ? 'verified' : 'stale';
  if (NOTE.test(id)) return 'discarded';
  if (CALL.test(id)) return state.work.failed?.includes(id) === true ? 'failed' : undefined;
  return isAssumed(state, id) ? 'assumed' : undefined;
}

/** What an earlier plan took for granted is no better founded now, unless it has been seen since. */
const isAssumed = ({ planning }: RunState, id: string): boolean =>
  planning.active?.plan.assumptions?.some((assumption) => assumption.id === id) === true;

/** The run has looked up for itself what this item of its context is about. */
function isReplaced({ work, intake }: RunState, key: string): boolean {
  return Object.entries(intake.contextEvidence ?? {}).some(
    ([type, item]) => item === key && own(work.evidenceByType, type) !== key,
  );
}

function isOutdated(state: RunState, evidenceId: string): boolean {
  const carried = carryOver(state);
  const done = assocGet(carried.steps, assocGet(carried.origins, evidenceId) ?? '');
  // A step that was done again under its id has said something newer since.
  if (done?.fact.evidenceId !== evidenceId) return true;
  return isStaleStep(carried, done.step.id, done.step.context_key);
}

/** Another step has filled the key since: what this one said of it is the older word. */
export function isStaleStep({ fillers }: Carried, stepId: string, key: string | undefined): boolean {
  return key !== undefined && assocGet(fillers, key) !== stepId;
}
