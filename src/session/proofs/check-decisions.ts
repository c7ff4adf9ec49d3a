import type { RunEvent } from '../../model/events/event.ts';
import { decisionsOf, type RunDecision } from '../../model/gate/recorded-decision.ts';
import type { Proofs, Unproven } from '../../ports/proofs.ts';

/** A recorded decision of a person that nothing proves. */
export interface UnprovenDecision extends Unproven {
  readonly decision: RunDecision;
}

/** The number of checked decisions, and those of them that nothing proves. */
export interface CheckedDecisions {
  readonly checked: number;
  readonly unproven: readonly UnprovenDecision[];
}

/** Checks the decisions in all events of a run. Null if decisions of its tenant are not signed here. */
export async function checkDecisions(proofs: Proofs, events: readonly RunEvent[]): Promise<CheckedDecisions | null> {
  const decisions = decisionsOf(events);
  if (decisions.length === 0) return { checked: 0, unproven: [] };
  const check = await proofs.checkFor(decisions[0]?.tenantId ?? null);
  if (check === null) return null;
  const unproven = decisions.flatMap((decision) => {
    const problem = check(decision);
    return problem === null ? [] : [{ ...problem, decision }];
  });
  return { checked: decisions.length, unproven };
}

/** The unproven decisions of a run. Empty without proofs. */
export async function unprovenDecisions(
  proofs: Proofs | undefined,
  events: readonly RunEvent[],
): Promise<readonly UnprovenDecision[]> {
  return proofs === undefined ? [] : ((await checkDecisions(proofs, events))?.unproven ?? []);
}
