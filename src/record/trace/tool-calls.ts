import type { RunEvent } from '../../model/event.ts';
import type { Frame } from '../../model/frame.ts';
import type { Address } from '../../model/hash.ts';
import { readOutcome } from '../../model/lane-outcome.ts';
import type { EventPointer, ToolCallTrace } from '../../model/trace.ts';

/** Every call that was sent, in the order of sending, with where its answer is on record. */
export function toolCallsIn(frames: readonly Frame[]): readonly ToolCallTrace[] {
  const calls = new Map<string, ToolCallTrace>();
  for (const frame of frames) {
    for (const [place, event] of (JSON.parse(frame.events) as readonly RunEvent[]).entries()) {
      if (event.type === 'step_attempted') calls.set(event.call_id, sent(event));
      const answered = answerIn(event);
      const call = answered === null ? undefined : calls.get(answered.call_id);
      if (answered === null || call === undefined) continue;
      const observation: EventPointer = `${frame.hash}#/${place}`;
      const lane = answered.lane === undefined ? {} : { lane: answered.lane };
      calls.set(answered.call_id, { ...call, result_status: answered.status, observation, ...lane });
    }
  }
  return [...calls.values()];
}

function sent({ tool, args_hash, call_id }: Extract<RunEvent, { type: 'step_attempted' }>): ToolCallTrace {
  return { tool, args_hash: args_hash as Address, request_id: call_id, result_status: 'in_doubt', observation: null };
}

interface Answered extends Pick<ToolCallTrace, 'lane'> {
  readonly call_id: string;
  readonly status: ToolCallTrace['result_status'];
}

/** What the tool said, what came of its lane, or what a probe found that it did. A late answer is on record beside it and concludes nothing. */
function answerIn(event: RunEvent): Answered | null {
  if (event.type === 'step_observed') return { call_id: event.call_id, status: event.outcome };
  if (event.type === 'lane_returned') {
    const { outcome: status, lane } = readOutcome(event.envelope);
    return { call_id: event.call_id, status, ...(lane === null ? {} : { lane }) };
  }
  if (event.type !== 'call_reconciled' || event.finding !== 'happened') return null;
  return { call_id: event.call_id, status: 'ok' };
}
