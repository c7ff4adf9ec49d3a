import type { Rates } from '../limits/rates.ts';
import { type Layer, PASS, refusal } from './layer.ts';

/** A call that would have to wait longer than this is refused instead: nobody should wonder what a run is doing. */
const DEFERRED_MAX_MS = 60_000;

/** How often the tool may be called for this tenant. Too early is deferred, far too early refused; nothing is sent. */
export function rateLayer(rates: Rates): Layer {
  return ({ spec, run, now }) => {
    const rate = spec.limits?.rate;
    if (rate === undefined) return PASS;
    const at = rates.take(`${run.tenantId}\n${spec.name}`, rate, now);
    if (at - now > DEFERRED_MAX_MS) {
      const message = `${spec.name} may be called ${rate.calls} times in ${rate.per_ms} ms, and its next place is ${at - now} ms away`;
      return refusal('budget', 'rate_limited', message);
    }
    return { ...PASS, notBefore: at };
  };
}
