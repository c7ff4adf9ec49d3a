import type { EffectOf } from '../../../model/events/effect.ts';
import type { EventBody } from '../../../model/events/event.ts';
import type { Json } from '../../../model/json/json.ts';
import { LANE_STATUSES, type LaneContext, type LaneEnvelope } from '../../../model/run/lane.ts';
import type { Prng } from '../prng.ts';
import { toolShape } from '../random-tools.ts';
import { hostileFields, randomFields, rubbish } from './answers.ts';

/** An event of a lane. */
export interface LaneNews {
  readonly at: number;
  readonly body: EventBody;
}

/**
 * Random outcome of a lane. Mostly it completes; it may fail, wait for people first, overspend, return garbage, or
 * claim to be another lane.
 */
export function laneNews(prng: Prng, effect: EffectOf<'spawn_lane'>, now: number, fault: number): readonly LaneNews[] {
  const { call, laneContext } = effect;
  const at = Math.max(now, effect.not_before) + prng.int(1, 20_000);
  const returned = { at, body: lanesEnd(prng, call.call_id, envelopeOf(prng, effect, fault)) };
  if (!prng.chance(0.25)) return [returned];
  const waits = {
    gates: prng.chance(0.5) ? [] : [gateOf(prng, laneContext, at)],
    cause: prng.pick(['gate', 'question'] as const),
  };
  const suspended: EventBody = { type: 'lane_suspended', call_id: call.call_id, run_id: laneContext.run_id, waits };
  return [
    { at, body: suspended },
    { ...returned, at: at + prng.int(1, 100_000) },
  ];
}

/** The outcome of a lane that was told to end; it may have ended just before. */
export function laneEnded(prng: Prng, { call, laneContext }: EffectOf<'end_lane'>, now: number): LaneNews {
  const status = prng.pick(['cancelled', 'cancelled', 'failed'] as const);
  const envelope = {
    ...bare(laneContext),
    status,
    terminal_code: 'USER_CANCEL',
    results: [],
    budget_used: {},
  } as const;
  return { at: now + prng.int(1, 2_000), body: lanesEnd(prng, call.call_id, envelope) };
}

const lanesEnd = (_prng: Prng, call_id: string, envelope: unknown): EventBody => ({
  type: 'lane_returned',
  call_id,
  envelope: envelope as Json,
});

function envelopeOf(prng: Prng, { call, laneContext }: EffectOf<'spawn_lane'>, fault: number): unknown {
  if (prng.chance(fault / 4)) return rubbish(prng);
  const envelope = bare(laneContext);
  if (prng.chance(fault / 8)) return { ...envelope, run_id: 'run_of_somebody_else' };
  const status = prng.chance(fault) ? prng.pick(LANE_STATUSES) : 'completed';
  const spent = {
    tool_calls: prng.int(0, laneContext.caps.tool_calls_max),
    steps: prng.int(0, laneContext.caps.steps_max),
  };
  const over = prng.chance(fault / 20) ? { input_tokens: laneContext.caps.input_tokens_max + 1_000_000 } : {};
  const fields = toolShape(call.tool)?.output ?? {};
  const value = prng.chance(fault / 8) ? hostileFields(prng, fields) : randomFields(prng, fields);
  // A lane returns its results by key; a parallel step returns its tool's output as one result.
  const keyed = Object.entries(value).map(([key, fieldValue]) => resultOf(laneContext, key, fieldValue, prng));
  const single = [resultOf(laneContext, 'result', value, prng)];
  const results = status === 'completed' ? (laneContext.agent === 'helper' ? keyed : single) : [];
  return {
    ...envelope,
    status,
    terminal_code: status === 'completed' ? 'SUCCESS' : 'IMPOSSIBLE',
    results,
    budget_used: { ...spent, ...over },
  };
}

const resultOf = (lane: LaneContext, key: string, value: Json, prng: Prng): LaneEnvelope['results'][number] => ({
  key,
  type: 'result',
  value,
  evidence_refs: [`${lane.run_id}/ev_1`],
  trusted: prng.chance(0.8),
});

const bare = ({ lane_id, run_id, parent_run_id, span_id }: LaneContext): LaneEnvelope => ({
  lane_id,
  run_id,
  parent_run_id,
  span_id,
  status: 'completed',
  terminal_code: 'SUCCESS',
  reason: 'goal_met',
  results: [],
  transcripts: [],
  budget_used: {},
  loop_guard_trips: 0,
});

const gateOf = (prng: Prng, { run_id, lane_id }: LaneContext, now: number) => ({
  gate_id: `gate_${lane_id}`,
  name: 'GATE_A',
  step_id: null,
  packet_hash: 'sha256:shown',
  expires_at: now + prng.int(1, 120) * 1_000,
  run_id,
});
