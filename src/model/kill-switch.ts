import { z } from 'zod';
import type { FaultCode } from './fault.ts';
import { DecisionProof } from './gate.ts';
import { Instant, Name, Statement } from './name.ts';

/** What a kill switch stops: every call that changes something and fits all of what is named. At least one is. */
export interface KillScope {
  readonly tenant?: string;
  readonly agent?: string;
  readonly tool?: string;
}
export const KillScope: z.ZodType<KillScope> = z
  .strictObject({ tenant: Name.exactOptional(), agent: Name.exactOptional(), tool: Name.exactOptional() })
  .refine((scope) => Object.keys(scope).length > 0, { message: 'name a tenant, an agent or a tool' });

/** Who did it, and why. */
export interface KillSwitchAct {
  readonly by: string;
  readonly reason: string;
  readonly at: number;
  /** How it was established who did it; a switch is thrown on anybody's word. */
  readonly proof?: DecisionProof;
}
export const KillSwitchAct: z.ZodType<KillSwitchAct> = z.strictObject({
  by: Name,
  reason: Statement,
  at: Instant,
  proof: DecisionProof.exactOptional(),
});

/** Somebody tried to lift it and could not. */
export interface RefusedLift {
  /** Who they said they were; whether they are may be what was in question. */
  readonly claimed_by: string;
  readonly reason: string;
  readonly at: number;
  readonly code: FaultCode;
  readonly message: string;
}

/** A stranger who keeps trying must not be able to fill a store. */
export const REFUSED_LIFTS_MAX = 100;

/** One switch, from the moment it is thrown; it stays on record when it has been lifted. */
export interface KillSwitch {
  readonly switch_id: string;
  readonly scope: KillScope;
  readonly thrown: KillSwitchAct;
  readonly lifted: KillSwitchAct | null;
  /** Absent where nobody was ever refused. */
  readonly refused?: readonly RefusedLift[];
}

/** The switch with one more refusal on it, or as it was where there are enough. */
export function withRefusedLift(thrown: KillSwitch, refused: RefusedLift): KillSwitch {
  const before = thrown.refused ?? [];
  return before.length >= REFUSED_LIFTS_MAX ? thrown : { ...thrown, refused: [...before, refused] };
}
