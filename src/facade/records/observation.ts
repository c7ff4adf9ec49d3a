import type { RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Frame } from '../../model/frame.ts';
import type { Address } from '../../model/hash.ts';
import type { Json } from '../../model/json.ts';
import { readOutcome } from '../../model/lane-outcome.ts';
import { parse } from '../../model/parse.ts';
import { heardToHaveHappened, type SaidHappened } from '../../model/said-happened.ts';
import { storedAt } from '../../model/stored-answer.ts';
import { EventPointer } from '../../model/trace.ts';
import type { Journal } from '../../ports/journal.ts';

/** What came back of a call, as it came. */
export interface RawObservation {
  readonly call_id: string;
  readonly outcome: string;
  readonly raw: Json;
  readonly detail: string | null;
  readonly at: number;
}

/** What a pointer of a trace leads to. An answer that was put beside the journal is taken out again. */
export async function observationAt(
  journal: Pick<Journal, 'blob'>,
  frames: readonly Frame[],
  given: string,
): Promise<RawObservation> {
  const pointer = parse(EventPointer, given, 'input_invalid');
  const [hash, place] = pointer.split('#/');
  const frame = frames.find((candidate) => candidate.hash === hash);
  const event = frame === undefined ? undefined : (JSON.parse(frame.events) as readonly RunEvent[])[Number(place)];
  if (frame !== undefined && event?.type === 'escalation_decided') {
    const said = saidIn(frames.slice(0, frames.indexOf(frame) + 1));
    if (event.happened !== undefined && said !== null) {
      return {
        call_id: said.call_id,
        outcome: 'happened',
        raw: said.result,
        detail: `said by ${said.by}`,
        at: event.at,
      };
    }
  }
  if (event?.type === 'lane_returned') {
    const { outcome } = readOutcome(event.envelope);
    return { call_id: event.call_id, outcome, raw: event.envelope, detail: null, at: event.at };
  }
  if (event?.type !== 'step_observed' && event?.type !== 'call_reconciled') {
    throw new Fault('input_invalid', `${pointer} does not lead to an observation of this run`);
  }
  const stored = storedAt(event.raw);
  const raw = stored === null ? event.raw : (JSON.parse(await journal.blob(stored as Address)) as Json);
  const outcome = event.type === 'step_observed' ? event.outcome : event.finding;
  return { call_id: event.call_id, outcome, raw, detail: event.detail ?? null, at: event.at };
}

/** The last that somebody said to have happened; a decision is the only thing of its kind in a frame. */
function saidIn(frames: readonly Frame[]): SaidHappened | null {
  const saidOf = heardToHaveHappened();
  let last: SaidHappened | null = null;
  for (const { events } of frames) {
    for (const event of JSON.parse(events) as readonly RunEvent[]) last = saidOf(event) ?? last;
  }
  return last;
}
