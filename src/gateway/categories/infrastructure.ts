import type { InfrastructureRules } from '../../model/rules/infrastructure.ts';
import { isFree, textAt } from '../../model/rules/operation.ts';
import { type CategoryCheck, FREE, gated, incomplete, outside } from './finding.ts';

/** Diagnosing is free. A change is for an operator, who is not even asked before the call says what it may break. */
export const infrastructureCheck: CategoryCheck<InfrastructureRules> = (rules, { args, spec }) => {
  if (isFree(rules.operation, args)) return FREE;
  const astray = outside('target', rules.target, args);
  if (astray !== null) return astray;
  // What the author of the tool declared is not talked down by whoever calls it.
  const told = (pointer: string | undefined, declared: string | undefined): string | null =>
    declared ?? (pointer === undefined ? null : textAt(args, pointer));
  const blast_radius = told(rules.blast_radius, spec.hazards?.blast_radius);
  const rollback_path = told(rules.rollback, spec.hazards?.rollback);
  if (blast_radius === null) return incomplete('the call does not say how far it reaches', 'packet_incomplete');
  if (rollback_path === null) return incomplete('the call does not say how it is taken back', 'packet_incomplete');
  return gated('it changes running systems', { target: textAt(args, rules.target.at), blast_radius, rollback_path });
};
