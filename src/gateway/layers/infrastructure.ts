import { reasonOf } from '../../model/json/printable.ts';
import type { Infrastructure, InfrastructureRuling, OutboundCall } from '../../ports/infrastructure.ts';
import type { AnswerCache } from '../limits/answer-cache.ts';
import type { Breakers } from '../limits/breakers.ts';
import { type Layer, PASS, type ProposedCall, type Ruling, refusal } from './layer.ts';

/** Checks that the infrastructure permits the call and that no breaker is open for its tool. */
export function infrastructureLayer(infrastructure: Infrastructure, breakers: Breakers, kept: AnswerCache): Layer {
  return (call) => {
    const { spec, args, run, now, rules } = call;
    const ruling = askInfrastructure(infrastructure, {
      tool: spec.name,
      args,
      tenantId: run.tenantId,
      runId: run.runId,
    });
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

/**
 * Rules on a call that is to be answered from the cache. No breaker is checked because nothing is sent, but a cached
 * answer has to exist, and a call with a side effect is never answered from the cache.
 */
function ruleOnKept({ spec, run, token, argsHash, mode, now }: ProposedCall, kept: AnswerCache): Ruling {
  const name = { tenantId: run.tenantId, actor: token?.actor ?? '', tool: spec.name, argsHash };
  if (mode === 'read_only' && !spec.side_effect && kept.get(name, now) !== null) return PASS;
  const message = `${spec.name} is not there, and no answer of it is kept that is young enough`;
  return refusal('infrastructure', 'dependency_unavailable', message);
}

/** Asks the infrastructure port. A throw, a promise or a malformed answer counts as a refusal. */
export function askInfrastructure(infrastructure: Infrastructure, call: OutboundCall): InfrastructureRuling {
  try {
    const answer: unknown = infrastructure.permits(call);
    if (typeof answer !== 'object' || answer === null) return NO_RULING;
    if (answer instanceof Promise) {
      // The promise is not awaited, so its rejection has to be handled here.
      answer.catch(() => undefined);
      return { ok: false, reason: 'the infrastructure did not answer at once' };
    }
    const { ok, reason } = answer as { readonly ok?: unknown; readonly reason?: unknown };
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
