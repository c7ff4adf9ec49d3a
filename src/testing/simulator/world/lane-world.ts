import type { EffectOf } from '../../../model/effect.ts';
import type { EventBody } from '../../../model/event.ts';
import type { Json } from '../../../model/json.ts';
import { LANE_STATUSES, type LaneEnvelope, type LaneSeat } from '../../../model/lane.ts';
import type { Prng } from '../prng.ts';
import { shapeOf } from '../tool-shapes.ts';
import { hostileFields, randomFields, rubbish } from './answers.ts';

/** Something that will be heard of a lane. */
export interface LaneNews {
  readonly at: number;
  readonly body: EventBody;
}

/**
 * What becomes of a lane: mostly it comes back well; it fails, waits for people first, overspends, answers with
 * rubbish, or says that it is another lane.
 */
export function laneNews(prng: Prng, effect: EffectOf<'spawn_lane'>, now: number, fault: number): readonly LaneNews[] {
  const { call, seat } = effect;
  const at = Math.max(now, effect.not_before) + prng.int(1, 20_000);
  const returned = { at, body: lanesEnd(prng, call.call_id, envelopeOf(prng, effect, fault)) };
  if (!prng.chance(0.25)) return [returned];
  const waits = {
    gates: prng.chance(0.5) ? [] : [gateOf(prng, seat, at)],
    cause: prng.pick(['gate', 'question'] as const),
  };
  const suspended: EventBody = { type: 'lane_suspended', call_id: call.call_id, run_id: seat.run_id, waits };
  return [
    { at, body: suspended },
    { ...returned, at: at + prng.int(1, 100_000) },
  ];
}

/** A lane that is told to end ends, or had ended just before. */
export function laneEnded(prng: Prng, { call, seat }: EffectOf<'end_lane'>, now: number): LaneNews {
  const status = prng.pick(['cancelled', 'cancelled', 'failed'] as const);
  const envelope = { ...bare(seat), status, terminal_code: 'USER_CANCEL', results: [], budget_used: {} } as const;
  return { at: now + prng.int(1, 2_000), body: lanesEnd(prng, call.call_id, envelope) };
}

const lanesEnd = (_prng: Prng, call_id: string, envelope: unknown): EventBody => ({
  type: 'lane_returned',
  call_id,
  envelope: envelope as Json,
});

function envelopeOf(prng: Prng, { call, seat }: EffectOf<'spawn_lane'>, fault: number): unknown {
  if (prng.chance(fault / 4)) return rubbish(prng);
  const envelope = bare(seat);
  if (prng.chance(fault / 8)) return { ...envelope, run_id: 'run_of_somebody_else' };
  const status = prng.chance(fault) ? prng.pick(LANE_STATUSES) : 'completed';
  const spent = { tool_calls: prng.int(0, seat.caps.tool_calls_max), steps: prng.int(0, seat.caps.steps_max) };
  const over = prng.chance(fault / 20) ? { input_tokens: seat.caps.input_tokens_max + 1_000_000 } : {};
  const fields = shapeOf(call.tool)?.output ?? {};
  const value = prng.chance(fault / 8) ? hostileFields(prng, fields) : randomFields(prng, fields);
  // A lane brings its results by key; a step that was worked on beside others brings what its tool did.
  const keyed = Object.entries(value).map(([key, said]) => resultOf(seat, key, said, prng));
  const whole = [resultOf(seat, 'result', value, prng)];
  const results = status === 'completed' ? (seat.agent === 'helper' ? keyed : whole) : [];
  return {
    ...envelope,
    status,
    terminal_code: status === 'completed' ? 'SUCCESS' : 'IMPOSSIBLE',
    results,
    budget_used: { ...spent, ...over },
  };
}

const resultOf = (seat: LaneSeat, key: string, value: Json, prng: Prng): LaneEnvelope['results'][number] => ({
  key,
  type: 'result',
  value,
  evidence_refs: [`${seat.run_id}/ev_1`],
  trusted: prng.chance(0.8),
});

const bare = ({ lane_id, run_id, parent_run_id, span_id }: LaneSeat): LaneEnvelope => ({
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

const gateOf = (prng: Prng, { run_id, lane_id }: LaneSeat, now: number) => ({
  gate_id: `gate_${lane_id}`,
  name: 'GATE_A',
  step_id: null,
  packet_hash: 'sha256:shown',
  expires_at: now + prng.int(1, 120) * 1_000,
  run_id,
});
