import { vecGet } from '../../../kernel/index.ts';
import type { EventOf, EventType } from '../../../model/events/event.ts';
import { canonicalize } from '../../../model/json/canonical.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json/json.ts';
import type { Law, Moment } from './law.ts';

type Seen = Pick<EventOf<'step_observed'>, 'outcome' | 'raw'>;

/** Events that may abandon secondary work, which also changes the state's version. */
const FAILURES: ReadonlySet<EventType> = new Set(['step_verified', 'call_reconciled', 'step_probed']);

/**
 * A commit follows a verification of the same call, which follows an observation, which follows an attempt. Versions
 * have no gaps, and committed values were in the answer.
 */
export function groundedCommits(): Law {
  const attempted = new Set<string>();
  const observed = new Map<string, Seen>();
  const verified = new Set<string>();
  return {
    name: 'grounded commits',
    event: (moment) => {
      const { event, before, after } = moment;
      if (event.type === 'step_attempted') attempted.add(event.call_id);
      if (event.type === 'step_observed') {
        if (!attempted.has(event.call_id)) return `${event.call_id} was observed and never attempted`;
        observed.set(event.call_id, event);
      }
      if (event.type === 'lane_returned') {
        if (!attempted.has(event.call_id)) return `${event.call_id} came back and was never attempted`;
        observed.set(event.call_id, broughtBy(event.envelope));
      }
      // The answer was lost and a probe found the effect: its finding counts as the observation.
      if (event.type === 'call_reconciled' && event.finding === 'happened') {
        if (!attempted.has(event.call_id)) return `${event.call_id} was found and never attempted`;
        observed.set(event.call_id, { outcome: 'ok', raw: event.raw });
      }
      if (event.type === 'step_verified' && event.ok) {
        if (observed.get(event.call_id)?.outcome !== 'ok')
          return `${event.call_id} was verified and not observed as ok`;
        verified.add(event.call_id);
      }
      if (event.type === 'step_committed') return commitProblem(moment, event, observed, verified);
      const gained = after.work.version - before.work.version;
      const failureCommitted = FAILURES.has(event.type) && gained === 1;
      return gained === 0 || failureCommitted ? null : `${event.type} changed the version by ${gained}`;
    },
  };
}

/** The result of a lane, parsed independently of the kernel: results by key, or the single one of a step. */
function broughtBy(envelope: Json): Seen {
  if (!isJsonObject(envelope) || envelope['status'] !== 'completed') return { outcome: 'error', raw: null };
  const results = (envelope['results'] ?? []) as readonly JsonObject[];
  const [first] = results;
  const single = results.length === 1 && first?.['key'] === 'result' ? (first['value'] ?? null) : null;
  return {
    outcome: 'ok',
    raw: single ?? Object.fromEntries(results.map(({ key, value }) => [String(key), value ?? null])),
  };
}

function commitProblem(
  { before, after }: Moment,
  event: EventOf<'step_committed'>,
  observed: ReadonlyMap<string, Seen>,
  verified: ReadonlySet<string>,
): string | null {
  const { call_id, version } = event;
  if (!verified.has(call_id)) return `${call_id} was committed and not verified`;
  if (version !== before.work.version + 1 || after.work.version !== version) {
    return `${call_id} was committed as version ${version} after ${before.work.version}`;
  }
  const fact = vecGet(after.work.progress, before.current?.index ?? -1)?.fact;
  const raw = observed.get(call_id)?.raw ?? null;
  return fact !== null && fact !== undefined && isPart(fact.value, raw)
    ? null
    : `${call_id} committed something that the tool had not answered`;
}

/** Every value of `part` is at the same path in `document`. */
function isPart(part: Json, document: Json): boolean {
  if (!isJsonObject(part) || !isJsonObject(document)) return canonicalize(part) === canonicalize(document);
  return Object.entries(part).every(
    ([key, value]) => Object.hasOwn(document, key) && isPart(value, document[key] ?? null),
  );
}
