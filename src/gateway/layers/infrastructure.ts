import { reasonOf } from '../../model/printable.ts';
import type { Infrastructure, InfrastructureRuling, OutboundCall } from '../../ports/infrastructure.ts';
import type { Breakers } from '../limits/breakers.ts';
import { type Layer, PASS, refusal } from './layer.ts';

/** Whether the machinery would carry the call at all, and whether the tool answers these days. */
export function infrastructureLayer(infrastructure: Infrastructure, breakers: Breakers): Layer {
  return ({ spec, args, run, now }) => {
    const ruling = permitted(infrastructure, { tool: spec.name, args, tenantId: run.tenantId, runId: run.runId });
    if (!ruling.ok) return refusal('infrastructure', 'infrastructure_denied', ruling.reason);
    const until = breakers.refusedUntil(spec.name, run.tenantId, now);
    if (until === null) return PASS;
    const message = `${spec.name} has failed too often in a row and is not called before ${until}`;
    return refusal('infrastructure', 'dependency_unavailable', message);
  };
}

/** A port that breaks has not said yes. */
export function permitted(infrastructure: Infrastructure, call: OutboundCall): InfrastructureRuling {
  try {
    return infrastructure.permits(call);
  } catch (error) {
    return { ok: false, reason: `the infrastructure could not be asked: ${reasonOf(error)}` };
  }
}
