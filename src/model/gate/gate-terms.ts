import type { z } from 'zod';
import { guardInput } from '../fault/guard-input.ts';
import { exactObject } from '../json/exact.ts';
import { Instant, Name } from '../json/name.ts';
import { ANYBODY_ELSE, Deciders } from './gate.ts';

/** One gate of a call, the people who may decide it, and their deadline. */
export interface GateTerms {
  readonly name: string;
  readonly deciders: Deciders;
  readonly expires_at: Instant;
}
export const GateTerms: z.ZodType<GateTerms> = exactObject({ name: Name, deciders: Deciders, expires_at: Instant });

/** One gate of an open call as an outcome lists it. */
export interface GateProgress {
  readonly name: string;
  /** The person whose approval completed the quorum of the gate; null while the gate is undecided. */
  readonly decided_by: string | null;
}
export const GateProgress: z.ZodType<GateProgress> = exactObject({ name: Name, decided_by: Name.nullable() });

/** The name of a gate, and the people who may decide it. */
export type NamedGate = Pick<GateTerms, 'name' | 'deciders'>;

/** The fields of `gate_opened` that say who decides. */
interface OpenedTerms {
  readonly name: string;
  readonly deciders?: Deciders;
  readonly expires_at: Instant;
  readonly gates?: readonly GateTerms[];
}

/** Returns all gates that an event opened. */
export function openedGates({ name, deciders = ANYBODY_ELSE, expires_at, gates }: OpenedTerms): readonly GateTerms[] {
  return gates ?? [{ name, deciders, expires_at }];
}

/** The fields of an approval packet that say who decides. */
interface PacketTerms {
  readonly gate: string;
  readonly deciders?: Deciders;
  readonly gates?: readonly NamedGate[];
}

/** Returns all gates that a packet is for, in the order in which it lists them. */
export const packetGates = ({ gate, deciders = ANYBODY_ELSE, gates }: PacketTerms): readonly NamedGate[] =>
  gates ?? [{ name: gate, deciders }];

/** Whether a person with these roles may decide. */
export const admitsRoles = ({ roles }: Deciders, held: readonly string[]): boolean =>
  roles.length === 0 || roles.some((role) => held.includes(role));

/**
 * Chooses the gates that one approval can cover. A gate with separation of duties is approved alone, so it is chosen only
 * if no other gate is left.
 */
export function coveredTogether(gates: readonly NamedGate[]): readonly string[] {
  const together = gates.filter(({ deciders }) => !deciders.separation);
  return (together.length > 0 ? together : gates.slice(0, 1)).map(({ name }) => name);
}

/**
 * Returns the names of the gates that one approval by a person with these roles can cover, for `gates` of a decision.
 * `decided` lists gates that need no further approval. The run has the last word: it also knows its policies.
 */
export const decidableGates: (
  packet: PacketTerms,
  roles: readonly string[],
  decided?: readonly string[],
) => readonly string[] = guardInput(
  'decidableGates',
  (packet: PacketTerms, roles: readonly string[], decided: readonly string[] = []): readonly string[] =>
    coveredTogether(
      packetGates(packet).filter(({ name, deciders }) => !decided.includes(name) && admitsRoles(deciders, roles)),
    ),
);
