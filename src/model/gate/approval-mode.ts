import { z } from 'zod';

/** The approval modes, from harmless to dangerous. A plan may raise the mode of a step, never lower it. */
export const APPROVAL_MODES = ['read_only', 'local_write', 'network', 'delegated', 'destructive'] as const;
export type ApprovalMode = (typeof APPROVAL_MODES)[number];
export const ApprovalMode: z.ZodType<ApprovalMode> = z.enum(APPROVAL_MODES);

/** Positive if `a` is stricter than `b`. */
export function compareModes(a: ApprovalMode, b: ApprovalMode): number {
  return APPROVAL_MODES.indexOf(a) - APPROVAL_MODES.indexOf(b);
}

/** True for modes that run inside their step. The others are split into propose, approve and execute. */
export function runsInline(mode: ApprovalMode): boolean {
  return mode === 'read_only' || mode === 'local_write';
}
