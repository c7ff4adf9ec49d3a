import type { KillSwitch } from '../../model/gate/kill-switch.ts';
import { liftDecision } from '../../model/gate/recorded-decision.ts';
import type { KillSwitchStore } from '../../ports/journal/kill-switches.ts';
import type { Proofs } from '../../ports/proofs.ts';

/** The kill switches of a store, in which a lift that nothing proves has not happened. */
export function provenSwitches(
  store: Pick<KillSwitchStore, 'killSwitches'>,
  proofs: Proofs,
  role: string,
): Pick<KillSwitchStore, 'killSwitches'> {
  return {
    killSwitches: async () => {
      const all = await store.killSwitches();
      return await Promise.all(
        all.map(async (each) => ((await isProvenLift(proofs, each, role)) ? each : { ...each, lifted: null })),
      );
    },
  };
}

async function isProvenLift(proofs: Proofs, thrown: KillSwitch, role: string): Promise<boolean> {
  const lift = liftDecision(thrown);
  if (lift === null) return true;
  const check = await proofs.checkFor(lift.tenantId);
  if (check === null) return true;
  // A switch that names no tenant is lifted by an operator of any tenant.
  return check(lift) === null && (lift.tenantId !== null || lift.proof?.roles.includes(role) === true);
}
