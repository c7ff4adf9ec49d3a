import type { EffectOf } from '../../../model/effect.ts';
import { problemWith } from './approved-is-what-ran.ts';
import type { Law, Moment, Witness } from './law.ts';

/** The most that may lie below a root, written down once more. */
const DEEPEST = 2;

/**
 * A lane has no more than the run above it: no tool that this may not use, nothing that was not set aside for it, no
 * step that needed a word nobody gave; and what it says changes nothing above until that was verified.
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

function problemOf(witness: Witness, moment: Moment, { call, seat }: EffectOf<'spawn_lane'>): string | null {
  const { after, event } = moment;
  const { env } = witness.scenario.pins;
  const spec = env.tools.get(call.tool);
  const allowed = after.intake.token?.allowed_tools ?? [];
  const beyond = seat.tools.filter((tool) => !allowed.includes(tool));
  if (beyond.length > 0) return `${seat.lane_id} has ${beyond.join(', ')}, which the run above may not use`;
  if (seat.depth !== (after.seat?.depth ?? 0) + 1 || seat.depth > DEEPEST)
    return `${seat.lane_id} lies ${seat.depth} deep`;
  if (spec === undefined || (spec.lane === undefined && spec.side_effect)) return `${call.tool} went into a lane`;
  const open = after.lanes?.length ?? 0;
  if (open > env.limits.laneFanoutMax) return `${open} lanes are open at once`;
  // Whoever takes over asks for the same lane again; what was set aside for it then stays so.
  if (event.type === 'run_reloaded' || event.type === 'time_passed') return null;
  const reserved = after.budget?.reserved.tool_calls ?? 0;
  if (reserved < seat.caps.tool_calls_max) return `${seat.lane_id} has more than was set aside for it`;
  return problemWith(witness, moment, { call, mode: null });
}
