import type { Rate, Rates } from '../limits/rates.ts';
import { type Layer, PASS, type ProposedCall, refusal } from './layer.ts';

/** A call that would have to wait longer than this is refused instead, so that no run seems to hang. */
const DEFERRED_MAX_MS = 60_000;

/** The number of reservations that are kept before expired ones are removed. */
const PLACES_KEPT = 10_000;

/**
 * Applies the tool's rate limit per tenant: defers a call that is early and refuses one that is far too early. A call
 * that is authorized again before its reserved instant, e.g. after an approval, keeps the reservation. A refused call
 * reserves nothing, so it does not delay other calls.
 */
export function rateLayer(rates: Rates): Layer {
  const places = new Map<string, number>();
  const placeOf = (call: ProposedCall, rate: Rate): number => {
    const { run, step, attempt, argsHash, spec, now } = call;
    const key = `${run.runId}\n${step.id}\n${attempt}\n${argsHash}`;
    const kept = places.get(key);
    if (kept !== undefined && kept >= now) return kept;
    const name = `${run.tenantId}\n${spec.name}`;
    const at = rates.next(name, rate, now);
    if (isTooFar(at, now)) return at;
    rates.take(name, rate, now);
    if (places.size >= PLACES_KEPT) forgetPast(places, now);
    places.set(key, at);
    return at;
  };
  return (call) => {
    const { spec, now } = call;
    const rate = spec.limits?.rate;
    if (rate === undefined) return PASS;
    const at = placeOf(call, rate);
    if (!isTooFar(at, now)) return { ...PASS, notBefore: at };
    const message = `${spec.name} may be called ${rate.calls} times in ${rate.per_ms} ms, and its next place is ${at - now} ms away`;
    return refusal('budget', 'rate_limited', message);
  };
}

const isTooFar = (at: number, now: number): boolean => at - now > DEFERRED_MAX_MS;

function forgetPast(places: Map<string, number>, now: number): void {
  for (const [key, at] of places) if (at < now) places.delete(key);
}
