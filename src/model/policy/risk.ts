import { z } from 'zod';

/** Risk classes in ascending order. A higher class never gets less verification and evaluation. */
export const RISK_CLASSES = ['low', 'moderate', 'high', 'critical'] as const;
export type RiskClass = (typeof RISK_CLASSES)[number];
export const RiskClass: z.ZodType<RiskClass> = z.enum(RISK_CLASSES);

export function atLeast(risk: RiskClass, floor: RiskClass): boolean {
  return RISK_CLASSES.indexOf(risk) >= RISK_CLASSES.indexOf(floor);
}
