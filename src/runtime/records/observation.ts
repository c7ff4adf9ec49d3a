import type { RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Address } from '../../model/json/hash.ts';
import type { Json } from '../../model/json/json.ts';
import { parse } from '../../model/json/parse.ts';
import { storedAt } from '../../model/json/stored-answer.ts';
import { EventPointer } from '../../model/record/trace.ts';
import { readOutcome } from '../../model/run/lane-outcome.ts';
import { type ReportedOutcome, reportedOutcomeReader } from '../../model/tool/reported-outcome.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import { runBlobs, sessionsOfRun } from './run-blobs.ts';

/** The raw result of a call. */
export interface RawObservation {
  readonly call_id: string;
  readonly outcome: string;
  readonly raw: Json;
  readonly detail: string | null;
  readonly at: number;
}

/** Returns the observation that a trace pointer leads to. A result stored as a blob is loaded. */
export async function observationAt(
  journal: Pick<Journal, 'blob' | 'texts'>,
  frames: readonly Frame[],
  input: string,
): Promise<RawObservation> {
  const pointer = parse(EventPointer, input, 'input_invalid');
  const [hash, place] = pointer.split('#/');
  const frame = frames.find((candidate) => candidate.hash === hash);
  const event = frame === undefined ? undefined : frameEvents(frame)[Number(place)];
  if (frame !== undefined && event?.type === 'escalation_decided') {
    const reported = lastReported(frames.slice(0, frames.indexOf(frame) + 1));
    if (event.happened !== undefined && reported !== null) {
      return {
        call_id: reported.call_id,
        outcome: 'happened',
        raw: reported.result,
        detail: `said by ${reported.by}`,
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
  const raw = stored === null ? event.raw : (JSON.parse(await textOfRun(journal, frames, stored as Address)) as Json);
  const outcome = event.type === 'step_observed' ? event.outcome : event.finding;
  return { call_id: event.call_id, outcome, raw, detail: event.detail ?? null, at: event.at };
}

async function textOfRun(
  journal: Pick<Journal, 'blob' | 'texts'>,
  frames: readonly Frame[],
  address: Address,
): Promise<string> {
  return await runBlobs(journal, await journal.texts(sessionsOfRun(frames), frames)).blob(address);
}

/** The last result that a person reported for a call. A frame contains at most one such decision. */
function lastReported(frames: readonly Frame[]): ReportedOutcome | null {
  const readReport = reportedOutcomeReader();
  let last: ReportedOutcome | null = null;
  for (const { events } of frames) {
    for (const event of JSON.parse(events) as readonly RunEvent[]) last = readReport(event) ?? last;
  }
  return last;
}
