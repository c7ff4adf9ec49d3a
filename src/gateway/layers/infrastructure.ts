import { reasonOf } from '../../model/printable.ts';
import type { Infrastructure, InfrastructureRuling, OutboundCall } from '../../ports/infrastructure.ts';
import type { Breakers } from '../limits/breakers.ts';
import type { KeptAnswers } from '../limits/kept-answers.ts';
import { type Layer, PASS, type ProposedCall, type Ruling, refusal } from './layer.ts';

/** Whether the machinery would carry the call at all, and whether the tool answers these days. */
export function infrastructureLayer(infrastructure: Infrastructure, breakers: Breakers, kept: KeptAnswers): Layer {
  return (call) => {
    const { spec, args, run, now, rules } = call;
    const ruling = permitted(infrastructure, { tool: spec.name, args, tenantId: run.tenantId, runId: run.runId });
    if (!ruling.ok) return refusal('infrastructure', 'infrastructure_denied', ruling.reason);
    if (call.cached === true) return ruleOnKept(call, kept);
    if (rules.trippedUntil !== undefined) {
      const message = `${spec.name} has failed this run as often as it may and is not called before ${rules.trippedUntil}`;
      return refusal('infrastructure', 'dependency_unavailable', message);
    }
    const until = breakers.refusedUntil(spec.name, run.tenantId, now);
    if (until === null) return PASS;
    const message = `${spec.name} has failed too often in a row and is not called before ${until}`;
    return refusal('infrastructure', 'dependency_unavailable', message);
  };
}

/** Nothing is sent, so no breaker is asked; but something has to be there, and nothing that acts is answered for. */
function ruleOnKept({ spec, run, token, argsHash, mode, now }: ProposedCall, kept: KeptAnswers): Ruling {
  const name = { tenantId: run.tenantId, actor: token?.actor ?? '', tool: spec.name, argsHash };
  if (mode === 'read_only' && !spec.side_effect && kept.get(name, now) !== null) return PASS;
  const message = `${spec.name} is not there, and no answer of it is kept that is young enough`;
  return refusal('infrastructure', 'dependency_unavailable', message);
}

/** Only a plain yes is one. A port that breaks, answers later or answers nonsense has not said it. */
export function permitted(infrastructure: Infrastructure, call: OutboundCall): InfrastructureRuling {
  try {
    const said: unknown = infrastructure.permits(call);
    if (typeof said !== 'object' || said === null) return NO_RULING;
    if (said instanceof Promise) {
      // Nobody waits for it, so nobody else would hear that it failed.
      said.catch(() => undefined);
      return { ok: false, reason: 'the infrastructure did not answer at once' };
    }
    const { ok, reason } = said as { readonly ok?: unknown; readonly reason?: unknown };
    if (ok === true) return PERMITTED;
    return ok === false && typeof reason === 'string' ? { ok, reason: reasonOf(reason) } : NO_RULING;
  } catch (error) {
    return { ok: false, reason: `the infrastructure could not be asked: ${reasonOf(error)}` };
  }
}

const PERMITTED: InfrastructureRuling = Object.freeze({ ok: true });
const NO_RULING: InfrastructureRuling = Object.freeze({
  ok: false,
  reason: 'the infrastructure answered neither yes nor no with a reason',
});
