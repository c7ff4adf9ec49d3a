import { z } from 'zod';
import { ApprovalMode } from '../gate/approval-mode.ts';
import { exactObject, JsonRecord } from '../json/exact.ts';
import type { JsonObject } from '../json/json.ts';
import { Name, Statement } from '../json/name.ts';
import { ToolCost } from '../tool/tool.ts';

/** A call that a plan would make. Bindings in the parameters are not resolved, because nothing has run yet. */
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
const PlannedCall: z.ZodType<PlannedCall> = exactObject({
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

/** A preview of all calls of a plan, in execution order, before any approval. */
export interface DryRun {
  readonly calls: readonly PlannedCall[];
  readonly side_effects: number;
  readonly approvals: number;
  /** The cost of each call once; retries are not included. */
  readonly cost: ToolCost;
}
export const DryRun: z.ZodType<DryRun> = exactObject({
  calls: z.array(PlannedCall),
  side_effects: z.int().nonnegative(),
  approvals: z.int().nonnegative(),
  cost: ToolCost,
});
