import { own } from '../../../model/json/json.ts';
import { assocGet } from '../../state/assoc.ts';
import type { Carried, RunState } from '../../state/run-state.ts';
import type { Support } from '../../verify/verify-context.ts';
import { carryOver } from '../plan/steps.ts';
import { isObserved } from './committed.ts';

/** Prefix of the notes that a model writes for itself. */
const NOTE = /^note_/;
const CALL = /^call_\d+$/;

/** Rates an id as a reason; only a fresh, verified observation counts. Undefined for an id unknown to this run. */
export function supportOf(state: RunState, id: string): Support | undefined {
  if (isObserved(state, id)) return isOutdated(state, id) ? 'stale' : 'verified';
  const freshUntil = own(state.intake.freshUntil ?? {}, id);
  if (freshUntil !== undefined) return state.now < freshUntil && !isReplaced(state, id) ? 'verified' : 'stale';
  if (NOTE.test(id)) return 'discarded';
  if (CALL.test(id)) return state.work.failed?.includes(id) === true ? 'failed' : undefined;
  return isAssumed(state, id) ? 'assumed' : undefined;
}

/** An assumption of an earlier plan stays an assumption until it is observed. */
const isAssumed = ({ planning }: RunState, id: string): boolean =>
  planning.active?.plan.assumptions?.some((assumption) => assumption.id === id) === true;

/** Whether the run has since observed evidence of the type that this context item stood for. */
function isReplaced({ work, intake }: RunState, key: string): boolean {
  return Object.entries(intake.contextEvidence ?? {}).some(
    ([type, item]) => item === key && own(work.evidenceByType, type) !== key,
  );
}

function isOutdated(state: RunState, evidenceId: string): boolean {
  const carried = carryOver(state);
  const done = assocGet(carried.steps, assocGet(carried.origins, evidenceId) ?? '');
  // The step ran again under the same id and has a newer fact.
  if (done?.fact.evidenceId !== evidenceId) return true;
  return isStaleStep(carried, done.step.id, done.step.context_key);
}

/** Whether another step has filled the key since, so this step's value is outdated. */
export function isStaleStep({ fillers }: Carried, stepId: string, key: string | undefined): boolean {
  return key !== undefined && assocGet(fillers, key) !== stepId;
}
