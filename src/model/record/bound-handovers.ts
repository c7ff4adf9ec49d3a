import { z } from 'zod';
import { TerminalCode } from '../fault/terminal-code.ts';
import { EscalationEvent } from '../gate/escalation.ts';
import { exactObject } from '../json/exact.ts';
import { Name } from '../json/name.ts';
import { Degradation } from '../tool/degradation.ts';
import { BudgetTrace, UserScope } from './trace.ts';

/** For permission owners: the scope of the run, and all its denials. */
export interface ScopeRecord {
  readonly run_id: string;
  readonly tenant_id: string;
  readonly user_scope: UserScope;
  readonly boundary_version: string;
  readonly allowed_tools: readonly string[];
  readonly denials: readonly {
    readonly subject: string;
    readonly layer: string;
    readonly code: string;
    readonly message: string;
  }[];
}
export const ScopeRecord: z.ZodType<ScopeRecord> = exactObject({
  run_id: Name,
  tenant_id: Name,
  user_scope: UserScope,
  boundary_version: Name,
  allowed_tools: z.array(Name),
  denials: z.array(z.strictObject({ subject: Name, layer: Name, code: Name, message: z.string() })),
});

/** For quota owners: the limits, their usage, and the people who extended them. */
export interface BudgetLimits {
  readonly run_id: string;
  readonly budget_vector: BudgetTrace;
  readonly extensions: readonly {
    readonly by: string;
    readonly reason: string;
    readonly delta: Readonly<Record<string, number>>;
  }[];
}
export const BudgetLimits: z.ZodType<BudgetLimits> = exactObject({
  run_id: Name,
  budget_vector: BudgetTrace,
  extensions: z.array(z.strictObject({ by: Name, reason: z.string(), delta: z.record(Name, z.number()) })),
});

/** For the operators of degraded services: the handovers of the run, its stand-ins and its failed calls. */
export interface EscalationRoutes {
  readonly run_id: string;
  readonly routes: readonly EscalationEvent[];
  readonly degraded: readonly Degradation[];
  readonly failed_calls: readonly { readonly tool: string; readonly call_id: string; readonly outcome: string }[];
  readonly terminal: { readonly code: TerminalCode; readonly reason: string };
}
export const EscalationRoutes: z.ZodType<EscalationRoutes> = exactObject({
  run_id: Name,
  routes: z.array(EscalationEvent),
  degraded: z.array(Degradation),
  failed_calls: z.array(z.strictObject({ tool: Name, call_id: Name, outcome: Name })),
  terminal: z.strictObject({ code: TerminalCode, reason: Name }),
});
