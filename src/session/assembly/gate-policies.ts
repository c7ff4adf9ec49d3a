import { deepFreeze } from '../../model/freeze.ts';
import { GatePolicy } from '../../model/gate.ts';
import { parseAt } from '../../model/parse.ts';
import { pointerToken } from '../../model/pointer.ts';

/** What a host settles about its gates, by name, each held to its schema. */
export function gatePolicies(
  gates: Readonly<Record<string, Partial<GatePolicy>>>,
): ReadonlyMap<string, Partial<GatePolicy>> {
  return new Map(
    Object.entries(gates).map(([name, policy]) => [
      name,
      deepFreeze(parseAt(`/world/policy/gates${pointerToken(name)}`, GatePolicy, policy, 'input_invalid')),
    ]),
  );
}
