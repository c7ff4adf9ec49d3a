import type { RunEvent } from '../../model/event.ts';
import type { Frame } from '../../model/frame.ts';
import type { Address } from '../../model/hash.ts';
import { readOutcome } from '../../model/lane-outcome.ts';
import { heardToHaveHappened } from '../../model/said-happened.ts';
import type { EventPointer, ToolCallTrace } from '../../model/trace.ts';

/** Every call that was sent, in the order of sending, with where its answer is on record. */
export function toolCallsIn(frames: readonly Frame[]): readonly ToolCallTrace[] {
  const calls = new Map<string, ToolCallTrace>();
  const saidOf = heardToHaveHappened();
  for (const frame of frames) {
    for (const [place, event] of (JSON.parse(frame.events) as readonly RunEvent[]).entries()) {
      if (event.type === 'step_attempted') calls.set(event.call_id, sent(event));
      const said = saidOf(event);
      const answered: Answered | null =
        said === null ? answerIn(event) : { call_id: said.call_id, status: 'ok', said_by: said.by };
      const call = answered === null ? undefined : calls.get(answered.call_id);
      if (answered === null || call === undefined) continue;
      const observation: EventPointer = `${frame.hash}#/${place}`;
      const { call_id, status, ...whose } = answered;
      calls.set(call_id, { ...call, result_status: status, observation, ...whose });
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

/** What the tool said, what came of its lane, or what a probe found that it did. A late answer is on record beside it and concludes nothing. */
export function answerIn(event: RunEvent): Answered | null {
  if (event.type === 'step_observed') return { call_id: event.call_id, status: event.outcome };
  if (event.type === 'lane_returned') {
    const { outcome: status, lane } = readOutcome(event.envelope);
    return { call_id: event.call_id, status, ...(lane === null ? {} : { lane }) };
  }
  if (event.type !== 'call_reconciled' || event.finding !== 'happened') return null;
  return { call_id: event.call_id, status: 'ok' };
}
