import { z } from 'zod';

/** From harmless to dangerous. The order is the law: a plan may move a step up, never down. */
export const APPROVAL_MODES = ['read_only', 'local_write', 'network', 'delegated', 'destructive'] as const;
export type ApprovalMode = (typeof APPROVAL_MODES)[number];
export const ApprovalMode: z.ZodType<ApprovalMode> = z.enum(APPROVAL_MODES);

/** Positive when `a` is stricter than `b`. */
export function compareModes(a: ApprovalMode, b: ApprovalMode): number {
  return APPROVAL_MODES.indexOf(a) - APPROVAL_MODES.indexOf(b);
}

/** These run inside their step; the others are split into propose, approve, execute. */
export function runsInline(mode: ApprovalMode): boolean {
  return mode === 'read_only' || mode === 'local_write';
}
