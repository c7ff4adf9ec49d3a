import { z } from 'zod';
import type { FaultCode } from '../fault/fault.ts';
import { exact, exactObject } from '../json/exact.ts';
import { Instant, Name, Statement } from '../json/name.ts';
import { DecisionProof } from './gate.ts';

/** Matches every call with a side effect that fits all the named fields; at least one is named. */
export interface KillScope {
  readonly tenant?: string;
  readonly agent?: string;
  readonly tool?: string;
}
export const KillScope: z.ZodType<KillScope> = exact(
  z
    .strictObject({ tenant: Name.exactOptional(), agent: Name.exactOptional(), tool: Name.exactOptional() })
    .refine((scope) => Object.keys(scope).length > 0, { message: 'name a tenant, an agent or a tool' }),
);

/** The person who set or lifted a switch, and the reason. */
export interface KillSwitchAct {
  readonly by: string;
  readonly reason: string;
  readonly at: number;
  /** Proof of identity. Setting a switch needs none. */
  readonly proof?: DecisionProof;
}
export const KillSwitchAct: z.ZodType<KillSwitchAct> = exactObject({
  by: Name,
  reason: Statement,
  at: Instant,
  proof: DecisionProof.exactOptional(),
});

/** A refused attempt to lift a switch. */
export interface RefusedLift {
  /** The claimed identity, which may be unverified. */
  readonly claimed_by: string;
  readonly reason: string;
  readonly at: number;
  readonly code: FaultCode;
  readonly message: string;
}

/** Limits the stored refusals, so that repeated attempts cannot fill a store. */
export const REFUSED_LIFTS_MAX = 100;

/** A kill switch. It stays on record after it is lifted. */
export interface KillSwitch {
  readonly switch_id: string;
  readonly scope: KillScope;
  readonly thrown: KillSwitchAct;
  readonly lifted: KillSwitchAct | null;
  /** Absent if no attempt was refused. */
  readonly refused?: readonly RefusedLift[];
}

/** Adds a refusal to the switch, unless it already holds the maximum. */
export function withRefusedLift(thrown: KillSwitch, refused: RefusedLift): KillSwitch {
  const before = thrown.refused ?? [];
  return before.length >= REFUSED_LIFTS_MAX ? thrown : { ...thrown, refused: [...before, refused] };
}
