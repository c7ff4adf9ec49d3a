import { z } from 'zod';
import { ApprovalMode } from './approval-mode.ts';
import { Goal } from './goal.ts';
import { SecurityToken } from './identity.ts';
import { Name } from './name.ts';

/** The root run is 0; lanes and sub-tasks may nest twice below it. */
export const DEPTH_MAX = 2;

export interface ParentRun {
  readonly run_id: string;
  readonly lane_id: string;
}
export const ParentRun: z.ZodType<ParentRun> = z.strictObject({ run_id: Name, lane_id: Name });

/** Everything one run acts under. One run owns it alone, from its start to its terminal code. */
export interface RunContext {
  readonly run_id: string;
  readonly trace_id: string;
  readonly tenant_id: string;
  readonly token: SecurityToken;
  readonly goal: Goal;
  readonly boundary_version: string;
  /** Never beyond the token's; a lane may have less than its parent. */
  readonly approval_authority: ApprovalMode;
  readonly depth: number;
  readonly parent?: ParentRun;
}
export const RunContext: z.ZodType<RunContext> = z
  .strictObject({
    run_id: Name,
    trace_id: Name,
    tenant_id: Name,
    token: SecurityToken,
    goal: Goal,
    boundary_version: Name,
    approval_authority: ApprovalMode,
    depth: z.int().nonnegative().max(DEPTH_MAX),
    parent: ParentRun.exactOptional(),
  })
  .refine(({ tenant_id, token }) => tenant_id === token.tenant_id, {
    message: 'must be the tenant of the token',
    path: ['tenant_id'],
  })
  .refine(({ depth, parent }) => depth > 0 === (parent !== undefined), {
    message: 'only a nested run, and every nested run, has a parent',
    path: ['parent'],
  });
