import type { EffectOf } from '../../../model/events/effect.ts';
import { problemWith } from './approved-is-what-ran.ts';
import type { Law, Moment, Witness } from './law.ts';

/** The greatest depth of lanes below a root, repeated independently of the kernel. */
const DEEPEST = 2;

/**
 * A lane has no more rights than its parent: only the parent's tools and the budget reserved for it, and the call that
 * opened it has its approvals. Its results change nothing in the parent until they are verified.
 */
export function lanesStayBelow(witness: Witness): Law {
  return {
    name: 'lanes stay below',
    event: (moment) => {
      const { before, event, after, effects } = moment;
      if (event.type === 'lane_returned' || event.type === 'lane_suspended') {
        if (after.work.evidenceByType !== before.work.evidenceByType) return `${event.type} changed what the run knows`;
        if (after.work.version !== before.work.version) return `${event.type} made a new version of the state`;
      }
      for (const effect of effects) {
        const problem = effect.kind === 'spawn_lane' ? problemOf(witness, moment, effect) : null;
        if (problem !== null) return problem;
      }
      return null;
    },
  };
}

function problemOf(witness: Witness, moment: Moment, { call, laneContext }: EffectOf<'spawn_lane'>): string | null {
  const { after, event } = moment;
  const { env } = witness.scenario.pins;
  const spec = env.tools.get(call.tool);
  const allowed = after.intake.token?.allowed_tools ?? [];
  const beyond = laneContext.tools.filter((tool) => !allowed.includes(tool));
  if (beyond.length > 0) return `${laneContext.lane_id} has ${beyond.join(', ')}, which the run above may not use`;
  if (laneContext.depth !== (after.laneContext?.depth ?? 0) + 1 || laneContext.depth > DEEPEST)
    return `${laneContext.lane_id} lies ${laneContext.depth} deep`;
  if (spec === undefined || (spec.lane === undefined && spec.side_effect)) return `${call.tool} went into a lane`;
  const open = after.lanes?.length ?? 0;
  if (open > env.limits.laneFanoutMax) return `${open} lanes are open at once`;
  // After a takeover the same lane is requested again under its existing reservation.
  if (event.type === 'run_reloaded' || event.type === 'time_passed') return null;
  const reserved = after.budget?.reserved.tool_calls ?? 0;
  if (reserved < laneContext.caps.tool_calls_max) return `${laneContext.lane_id} has more than was set aside for it`;
  return problemWith(witness, moment, { call, mode: null });
}
