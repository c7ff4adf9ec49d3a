import { compareModes } from '../../../model/gate/approval-mode.ts';
import type { RunState } from '../../state/run-state.ts';
import { findOpenLanes } from './open-lanes.ts';

/** The reason why a lane may make no call now. */
interface LaneStop {
  readonly code: 'lane_parent_ended' | 'lane_parent_paused' | 'approval_authority_exceeded';
  readonly message: string;
}

/**
 * Returns why a lane may make no call, judged by the recorded state of its parent; null if it may. The lane's own
 * record cannot answer this: the process that ended the parent may have died before the lane heard of it, and the
 * lane's token may have been made by another assembly than the parent's.
 */
export function whyLaneStopped(parent: RunState, lane: RunState): LaneStop | null {
  const { runId } = parent.id;
  const { terminal, stops } = parent.ending;
  const [stop] = stops;
  if (terminal !== null || stop !== undefined) {
    const code = terminal?.code ?? stop?.code ?? '';
    return { code: 'lane_parent_ended', message: `the parent run ${runId} has ended: ${code}` };
  }
  if (!findOpenLanes(parent).some(({ laneContext }) => laneContext.run_id === lane.id.runId)) {
    return { code: 'lane_parent_ended', message: `${runId} waits for this lane no longer` };
  }
  const excess = excessOf(parent, lane);
  if (excess !== null) return { code: 'approval_authority_exceeded', message: `${excess}, beyond its parent ${runId}` };
  if (parent.session.status !== 'paused') return null;
  return { code: 'lane_parent_paused', message: `the parent run ${runId} is paused: resume it first` };
}

/** The right of the lane that its parent's token lacks, or null. */
function excessOf(parent: RunState, { intake: { token }, laneContext }: RunState): string | null {
  const above = parent.intake.token;
  if (above === null) return 'the lane has rights';
  const modes = [laneContext?.authority, token?.approval_authority].filter((mode) => mode !== undefined);
  const mode = modes.find((each) => compareModes(each, above.approval_authority) > 0);
  if (mode !== undefined) return `the lane has authority for ${mode} calls`;
  const tool = token?.allowed_tools.find((each) => !above.allowed_tools.includes(each));
  if (tool !== undefined) return `the lane may use ${tool}`;
  const role = token?.roles.find((each) => !above.roles.includes(each));
  return role === undefined ? null : `the lane has the role ${role}`;
}
