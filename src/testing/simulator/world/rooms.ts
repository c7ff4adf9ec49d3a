import { createGateway } from '../../../gateway/gateway.ts';
import { BREAKER_LIMITS } from '../../../gateway/limits/breakers.ts';
import type { Derived } from '../../../kernel/derive.ts';
import type { LocalEffect, LocalKind } from '../../../kernel/effect-kinds.ts';
import type { RunState } from '../../../kernel/state.ts';
import type { EffectOf } from '../../../model/effect.ts';
import { Fault } from '../../../model/fault.ts';
import { localPerformers, type RunPins, type RunPorts } from '../../../session/effects.ts';
import type { Prng } from '../prng.ts';

/**
 * Whatever is answered on the spot: by the production rooms, now and then by one that is out of order, and by a
 * model that claims in the final answer what nobody has observed.
 */
export function rooms(prng: Prng, pins: RunPins, fault: number): (state: RunState, effect: LocalEffect) => Derived {
  const gateway = createGateway({ ...NOBODY_BEHIND, hash: pins.env.hash });
  const ports = { gateway, policy: { check: () => ({ cleared: !prng.chance(fault / 20), rule: null }) } };
  // The answers on the spot reach no other port.
  const performers = localPerformers(pins, ports as unknown as RunPorts);
  return (state, effect) => {
    if (prng.chance(fault / 50)) throw new Fault('dependency_unavailable', `${effect.kind} is out of order`);
    if (effect.kind === 'compile_response' && prng.chance(fault / 2)) return lie(prng);
    const perform = performers[effect.kind] as (state: RunState, effect: EffectOf<LocalKind>) => Derived;
    return perform(state, effect);
  };
}

/** Calls are answered by the simulated world; the gateway is asked only whether they may be made. */
const NOBODY_BEHIND = {
  tools: { problems: () => [], call: nobody },
  infrastructure: { permits: () => ({ ok: true }) as const },
  files: { realPath: () => null, isFolder: () => false, text: () => null, digest: () => null },
  breakers: BREAKER_LIMITS,
  clock: { nowMs: nobody },
  timer: { until: nobody },
};

function nobody(): never {
  throw new Fault('internal', 'a simulated call went out through the door');
}

function lie(prng: Prng): Derived {
  const observation = prng.pick(['ev_0', 'ev_999', 'trust me']);
  const claims = [{ statement: 'The errand was run.', observation }];
  return { event: { type: 'response_compiled', claims, text: 'The errand was run.' }, blobs: [] };
}
