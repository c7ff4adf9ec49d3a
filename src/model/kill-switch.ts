import { z } from 'zod';
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

/** One switch, from the moment it is thrown; it stays on record when it has been lifted. */
export interface KillSwitch {
  readonly switch_id: string;
  readonly scope: KillScope;
  readonly thrown: KillSwitchAct;
  readonly lifted: KillSwitchAct | null;
}
