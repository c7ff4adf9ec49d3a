import { z } from 'zod';
import { ApprovalMode } from './approval-mode.ts';
import type { JsonObject } from './json.ts';
import { JsonRecord } from './json-schema.ts';
import { Name, Statement } from './name.ts';
import { ToolCost } from './tool.ts';

/** One call that a plan would make. Bindings stand in the parameters as the plan has them: nothing has run yet. */
export interface PlannedCall {
  readonly n: number;
  readonly step_id: string;
  readonly action: string;
  readonly parameters: JsonObject;
  readonly approval_mode: ApprovalMode;
  readonly gates: readonly string[];
  readonly side_effect: boolean;
  readonly blast_radius: string;
  readonly rollback_path: string;
  readonly cost: ToolCost;
}
const PlannedCall: z.ZodType<PlannedCall> = z.strictObject({
  n: z.int().positive(),
  step_id: Name,
  action: Name,
  parameters: JsonRecord,
  approval_mode: ApprovalMode,
  gates: z.array(Name),
  side_effect: z.boolean(),
  blast_radius: Statement,
  rollback_path: Statement,
  cost: ToolCost,
});

/** What a whole plan would do, call by call in the order in which it would, before anybody has approved anything. */
export interface DryRun {
  readonly calls: readonly PlannedCall[];
  readonly side_effects: number;
  readonly approvals: number;
  /** Each call once: what retries would add is not foreseen here. */
  readonly cost: ToolCost;
}
export const DryRun: z.ZodType<DryRun> = z.strictObject({
  calls: z.array(PlannedCall),
  side_effects: z.int().nonnegative(),
  approvals: z.int().nonnegative(),
  cost: ToolCost,
});
