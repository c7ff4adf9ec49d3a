import { z } from 'zod';
import { AcceptanceCriteria, type AcceptanceCriterion } from './goal.ts';
import { Name, Statement } from './name.ts';
import { RiskClass } from './risk.ts';

/** A kind of request an agent takes, and what is known about every request of that kind before a word of it is read. */
export interface IntentSpec {
  readonly intent: string;
  readonly description: string;
  readonly task_class: string;
  readonly risk: RiskClass;
  readonly modality: string;
  readonly capability: string;
  /** What comes of such a request is released by a reviewer of compliance and by nobody else. */
  readonly regulated?: boolean;
  /** What counts as done where a request does not say. */
  readonly criteria: readonly AcceptanceCriterion[];
}
export const IntentSpec: z.ZodType<IntentSpec> = z.strictObject({
  intent: Name,
  description: Statement,
  task_class: Name,
  risk: RiskClass,
  modality: Name,
  capability: Name,
  regulated: z.boolean().exactOptional(),
  criteria: AcceptanceCriteria,
});
