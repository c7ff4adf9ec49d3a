import { Fault } from '../../model/fault/fault.ts';
import type { Json } from '../../model/json/json.ts';
import { sameJson } from '../../model/json/json-at.ts';
import { type MigratedTools, toolChanges } from '../../model/tool/tool-change.ts';
import { envAt, type KernelEnv } from '../env.ts';
import { beginPlan } from '../flow/plan/activate.ts';
import { unsettledTool } from '../query/call/unsettled-tool.ts';
import { toolOfKey } from '../state/call-state.ts';
import { impossibleEvent, isRollingBack } from '../state/lifecycle.ts';
import type { OpenGate, People } from '../state/people-state.ts';
import type { RunState } from '../state/run-state.ts';
import { NO_EFFECTS, type Reaction } from '../transition/reaction.ts';
import { unsuspend } from '../transition/suspend.ts';
import { forgetVisits } from '../transition/walk.ts';
import { clearUndo } from './rollback.ts';

/**
 * Continues a run with the newer tools that an operator accepted. Nothing that was approved with the older tools runs
 * with the newer ones: gates close, grants end, and the plan is verified again before its next step.
 */
export function migrateTools(
  env: KernelEnv,
  state: RunState,
  { tool_registry_version, changed }: MigratedTools,
): Reaction {
  const newer = env.migrated?.get(tool_registry_version);
  if (newer === undefined || state.manifest === null) {
    throw impossibleEvent('a migration to tools that are not recorded here', state);
  }
  const derived = toolChanges(env.tools.specs, newer.specs, env.hash);
  if (!sameJson(derived as unknown as Json, changed as unknown as Json)) {
    throw impossibleEvent('a migration that changes other tools than it names', state);
  }
  const tools = new Set(changed.map(({ tool }) => tool));
  assertSettled(env, state, tools);
  const migrated: RunState = {
    ...state,
    manifest: { ...state.manifest, tool_registry_version },
    changedTools: [...(state.changedTools ?? []).filter(({ tool }) => !tools.has(tool)), ...changed],
    planning: state.planning.active === null ? state.planning : { ...state.planning, unverified: true },
    people: endApprovals(state, tools),
    work: { ...state.work, approvedRepeats: endRepeats(state, tools) },
  };
  if (!state.people.gates.some(isAboutCalls)) return [migrated, NO_EFFECTS];
  const people = { ...migrated.people, gates: [], undecided: 0, decision: 'continue' as const };
  const released = forgetVisits(unsuspend({ ...migrated, people }));
  return isRollingBack(released) ? clearUndo(released) : beginPlan(envAt(env, released), released);
}

/** Whether the packet of a gate shows a call or a plan. Scopes and memories do not depend on tools. */
const isAboutCalls = ({ kind }: OpenGate): boolean => kind === 'action' || kind === 'plan';

function assertSettled(env: KernelEnv, state: RunState, tools: ReadonlySet<string>): void {
  const tool = unsettledTool(env, state, tools);
  if (tool === null) return;
  const message = `a call that uses ${tool} is under way or in doubt, so the run cannot be migrated to another version of it: settle the call in a process that has the earlier version, or end the run`;
  throw new Fault('call_in_doubt', message);
}

/** Ends the grants, apart from those of a call that is under way with an unchanged tool. */
function endApprovals({ people, ending, current }: RunState, tools: ReadonlySet<string>): People {
  const grants = people.grants.filter(({ stepId }) => ending.inFlight !== null && stepId === current?.stepId);
  const requested = Object.entries(people.requested).map(([call, step]) =>
    tools.has(toolOfKey(call)) ? [call, MIGRATED] : [call, step],
  );
  return { ...people, grants, requested: Object.fromEntries(requested) };
}

/** Stands for the step that used up a request's grant: after a migration no step may. */
const MIGRATED = 'migrated';

function endRepeats({ work }: RunState, tools: ReadonlySet<string>): RunState['work']['approvedRepeats'] {
  const kept = Object.entries(work.approvedRepeats).filter(([call]) => !tools.has(toolOfKey(call)));
  return kept.length === Object.keys(work.approvedRepeats).length ? work.approvedRepeats : Object.fromEntries(kept);
}
