import { z } from 'zod';
import { Degradation } from '../degradation.ts';
import { EscalationEvent } from '../escalation.ts';
import { Name } from '../name.ts';
import { TerminalCode } from '../terminal-code.ts';
import { BudgetTrace, UserScope } from '../trace.ts';

/** For whoever gives permissions: under which scope the run acted, and everything it was refused. */
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
export const ScopeRecord: z.ZodType<ScopeRecord> = z.strictObject({
  run_id: Name,
  tenant_id: Name,
  user_scope: UserScope,
  boundary_version: Name,
  allowed_tools: z.array(Name),
  denials: z.array(z.strictObject({ subject: Name, layer: Name, code: Name, message: z.string() })),
});

/** For whoever gives quotas: the limits in force, what was used of them, and who let the run have more. */
export interface BudgetLimits {
  readonly run_id: string;
  readonly budget_vector: BudgetTrace;
  readonly extensions: readonly {
    readonly by: string;
    readonly reason: string;
    readonly delta: Readonly<Record<string, number>>;
  }[];
}
export const BudgetLimits: z.ZodType<BudgetLimits> = z.strictObject({
  run_id: Name,
  budget_vector: BudgetTrace,
  extensions: z.array(z.strictObject({ by: Name, reason: z.string(), delta: z.record(Name, z.number()) })),
});

/** For whoever keeps things going when something is down: which way the run was handed over, and what stood in. */
export interface EscalationRoutes {
  readonly run_id: string;
  readonly routes: readonly EscalationEvent[];
  readonly degraded: readonly Degradation[];
  readonly failed_calls: readonly { readonly tool: string; readonly call_id: string; readonly outcome: string }[];
  readonly terminal: { readonly code: TerminalCode; readonly reason: string };
}
export const EscalationRoutes: z.ZodType<EscalationRoutes> = z.strictObject({
  run_id: Name,
  routes: z.array(EscalationEvent),
  degraded: z.array(Degradation),
  failed_calls: z.array(z.strictObject({ tool: Name, call_id: Name, outcome: Name })),
  terminal: z.strictObject({ code: TerminalCode, reason: Name }),
});
