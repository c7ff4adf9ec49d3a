import type { Rate, Rates } from '../limits/rates.ts';
import { type Layer, PASS, type ProposedCall, refusal } from './layer.ts';

/** A call that would have to wait longer than this is refused instead: nobody should wonder what a run is doing. */
const DEFERRED_MAX_MS = 60_000;

/** So many calls are remembered with their places before those whose places are over are forgotten. */
const PLACES_KEPT = 10_000;

/**
 * How often the tool may be called for this tenant. Too early is deferred, far too early refused; nothing is sent. A call
 * that is cleared again before its place has come, because a person was asked meanwhile, keeps that place; one that is
 * refused takes none, or whoever asks in vain would push back everybody else.
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
