import { z } from 'zod';
import { ApprovalMode } from '../gate/approval-mode.ts';
import { exact, exactObject } from '../json/exact.ts';
import { Name } from '../json/name.ts';
import { Goal } from '../plan/goal.ts';
import { SecurityToken } from './identity.ts';
import { DEPTH_MAX } from './lane.ts';

export interface ParentRun {
  readonly run_id: string;
  readonly lane_id: string;
}
export const ParentRun: z.ZodType<ParentRun> = exactObject({ run_id: Name, lane_id: Name });

/** The identity, goal and authority of one run. It belongs to that run alone, from start to terminal code. */
export interface RunContext {
  readonly run_id: string;
  readonly trace_id: string;
  readonly tenant_id: string;
  readonly token: SecurityToken;
  readonly goal: Goal;
  readonly boundary_version: string;
  /** Never stricter than the token's authority; a lane may have less than its parent. */
  readonly approval_authority: ApprovalMode;
  readonly depth: number;
  readonly parent?: ParentRun;
}
export const RunContext: z.ZodType<RunContext> = exact(
  z
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
    }),
);
