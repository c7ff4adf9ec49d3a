import { z } from 'zod';

/** The only five occasions on which a run may stop and look at itself. */
export const REFLECTION_TRIGGERS = [
  'tool_failure',
  'low_confidence',
  'conflict',
  'context_bloat',
  'plan_divergence',
] as const;
export type ReflectionTrigger = (typeof REFLECTION_TRIGGERS)[number];
export const ReflectionTrigger: z.ZodType<ReflectionTrigger> = z.enum(REFLECTION_TRIGGERS);
