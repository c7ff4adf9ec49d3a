import type { FactsOrigin, RunFacts } from '../../metrics/run-facts.ts';
import { collectFacts } from '../../metrics/run-facts.ts';
import { missingTraceFields } from '../../metrics/trace-fields.ts';
import { CAPPED_DIMENSIONS } from '../../model/budget/dimensions.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { own } from '../../model/json/json.ts';
import type { RunTrace } from '../../model/record/trace.ts';
import type { SessionRow } from '../../ports/journal/rows.ts';
import { traceOf } from '../../record/trace/trace-of.ts';
import type { ReplayEnv } from '../../replay/replay.ts';
import { illegalMoves, standingOf } from '../../replay/walk-run.ts';

/** The facts of an ended run, derived in one walk over its frames. Null for a run that has not ended. */
export function factsOfRun(
  row: Pick<SessionRow, 'tenant_id' | 'agent' | 'intent'>,
  imported: boolean,
  { env }: Pick<ReplayEnv, 'env'>,
  frames: readonly Frame[],
): RunFacts | null {
  const events = frames.flatMap(frameEvents);
  if (events.at(-1)?.type !== 'run_terminated') return null;
  const standing = standingOf(env, frames);
  const { state, moves } = standing;
  if (state === null) return null;
  const trace = traceOf(frames, standing);
  const { lanes = [] } = state.work;
  return collectFacts(trace.run_id, events, {
    origin: originOf(imported, state.fork !== undefined),
    tenant: row.tenant_id,
    agent: row.agent,
    intent: row.intent,
    risk: state.intake.risk,
    cycles: usedOf(trace, 'steps'),
    cost_usd: trace.budget_vector.cost.usd,
    lanes: { returned: lanes.length, accepted: lanes.filter(({ ruling }) => ruling === 'accepted').length },
    moves: { total: moves.length, illegal: illegalMoves(env, moves, trace.escalation_events) },
    over_cap: overCap(trace),
    trace_missing: missingTraceFields(trace),
    replans: state.planning.replans,
    loop_guard_trips: state.guard.trips,
  });
}

function originOf(imported: boolean, forked: boolean): FactsOrigin {
  if (imported) return 'import';
  return forked ? 'fork' : 'run';
}

const usedOf = ({ budget_vector: { used } }: RunTrace, dimension: string): number =>
  own(used, `${dimension}_used`) ?? 0;

/** The clock of a run that timed out is past its cap, because only then has it timed out. */
function overCap({ budget_vector: { caps, used }, terminal_code }: RunTrace): readonly string[] {
  if (caps === null) return [];
  const limits = caps as unknown as Readonly<Record<string, number | undefined>>;
  return CAPPED_DIMENSIONS.filter((dimension) => {
    if (dimension === 'wall_clock_seconds' && terminal_code === 'TIMEOUT') return false;
    const cap = own(limits, `${dimension}_max`);
    return cap !== undefined && (own(used, `${dimension}_used`) ?? 0) > cap;
  });
}
