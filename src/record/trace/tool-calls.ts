import type { RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import type { Address } from '../../model/json/hash.ts';
import type { EventPointer, ToolCallTrace } from '../../model/record/trace.ts';
import { readOutcome } from '../../model/run/lane-outcome.ts';
import { reportedOutcomeReader } from '../../model/tool/reported-outcome.ts';

/** Every call, in the order of sending, with a pointer to its recorded answer. */
export function toolCallsIn(frames: readonly Frame[]): readonly ToolCallTrace[] {
  const calls = new Map<string, ToolCallTrace>();
  const confirmationIn = reportedOutcomeReader();
  for (const frame of frames) {
    for (const [place, event] of frameEvents(frame).entries()) {
      if (event.type === 'step_attempted') calls.set(event.call_id, sent(event));
      const confirmation = confirmationIn(event);
      const answered: Answered | null =
        confirmation === null
          ? answerIn(event)
          : { call_id: confirmation.call_id, status: 'ok', said_by: confirmation.by };
      const call = answered === null ? undefined : calls.get(answered.call_id);
      if (answered === null || call === undefined) continue;
      const observation: EventPointer = `${frame.hash}#/${place}`;
      const { call_id, status, ...attribution } = answered;
      calls.set(call_id, { ...call, result_status: status, observation, ...attribution });
    }
  }
  return [...calls.values()];
}

function sent({ tool, args_hash, call_id }: Extract<RunEvent, { type: 'step_attempted' }>): ToolCallTrace {
  return { tool, args_hash: args_hash as Address, request_id: call_id, result_status: 'in_doubt', observation: null };
}

interface Answered extends Pick<ToolCallTrace, 'lane' | 'said_by'> {
  readonly call_id: string;
  readonly status: ToolCallTrace['result_status'];
}

/** The answer to a call, from its tool, its lane, or a probe that found it done. Late answers do not count. */
export function answerIn(event: RunEvent): Answered | null {
  if (event.type === 'step_observed') return { call_id: event.call_id, status: event.outcome };
  if (event.type === 'lane_returned') {
    const { outcome: status, lane } = readOutcome(event.envelope);
    return { call_id: event.call_id, status, ...(lane === null ? {} : { lane }) };
  }
  if (event.type !== 'call_reconciled' || event.finding !== 'happened') return null;
  return { call_id: event.call_id, status: 'ok' };
}
