import { deepFreeze } from '../../model/freeze.ts';
import { GatePolicy } from '../../model/gate.ts';
import { parseNamed } from '../../model/parse.ts';

/** What a host settles about its gates, by name, each held to its schema. */
export function gatePolicies(
  gates: Readonly<Record<string, Partial<GatePolicy>>>,
): ReadonlyMap<string, Partial<GatePolicy>> {
  return new Map(
    Object.entries(gates).map(([name, policy]) => [
      name,
      deepFreeze(parseNamed(`world/policy/gates/${name}`, GatePolicy, policy, 'input_invalid')),
    ]),
  );
}
