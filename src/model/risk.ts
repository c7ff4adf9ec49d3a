import { z } from 'zod';

/** How much can go wrong. Verification and evaluation grow with it and never shrink. */
export const RISK_CLASSES = ['low', 'moderate', 'high', 'critical'] as const;
export type RiskClass = (typeof RISK_CLASSES)[number];
export const RiskClass: z.ZodType<RiskClass> = z.enum(RISK_CLASSES);

export function atLeast(risk: RiskClass, floor: RiskClass): boolean {
  return RISK_CLASSES.indexOf(risk) >= RISK_CLASSES.indexOf(floor);
}
