import { createGateway } from '../../../gateway/gateway.ts';
import { BREAKER_LIMITS } from '../../../gateway/limits/breakers.ts';
import type { Derived, RunState } from '../../../kernel/index.ts';
import type { EffectOf } from '../../../model/events/effect.ts';
import type { LocalEffect, LocalKind } from '../../../model/events/effect-kinds.ts';
import { Fault } from '../../../model/fault/fault.ts';
import { localPerformers, type RunPins, type RunPorts } from '../../../session/perform/effects.ts';
import type { Prng } from '../prng.ts';

/**
 * Answers local effects with the production performers. Sometimes one throws, and sometimes a model makes unobserved
 * claims in the final answer.
 */
export function localAnswers(
  prng: Prng,
  pins: RunPins,
  fault: number,
): (state: RunState, effect: LocalEffect) => Derived {
  const gateway = createGateway({ ...NO_TOOLS_BEHIND, hash: pins.env.hash });
  const ports = { gateway, policy: { check: () => ({ cleared: !prng.chance(fault / 20), rule: null }) } };
  // Local effects use no other port.
  const performers = localPerformers(pins, ports as unknown as RunPorts);
  return (state, effect) => {
    if (prng.chance(fault / 50)) throw new Fault('dependency_unavailable', `${effect.kind} is out of order`);
    if (effect.kind === 'compile_response' && prng.chance(fault / 2)) return lie(prng);
    const perform = performers[effect.kind] as (state: RunState, effect: EffectOf<LocalKind>) => Derived;
    return perform(state, effect);
  };
}

/** The simulated world answers calls; the gateway only authorizes them. */
const NO_TOOLS_BEHIND = {
  tools: { problems: () => [], call: unreachable },
  infrastructure: { permits: () => ({ ok: true }) as const },
  files: { realPath: () => null, isFolder: () => false, text: () => null, digest: () => null },
  breakers: BREAKER_LIMITS,
  clock: { nowMs: unreachable },
  timer: { until: unreachable },
};

function unreachable(): never {
  throw new Fault('internal', 'a simulated call went out through the door');
}

function lie(prng: Prng): Derived {
  const observation = prng.pick(['ev_0', 'ev_999', 'trust me']);
  const claims = [{ statement: 'The errand was run.', observation }];
  return { event: { type: 'response_compiled', claims, text: 'The errand was run.' }, blobs: [] };
}
