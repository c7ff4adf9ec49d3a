import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { Name, Statement } from '../json/name.ts';
import { RiskClass } from '../policy/risk.ts';
import { AcceptanceCriteria, type AcceptanceCriterion } from './goal.ts';

/** A kind of request that an agent accepts, with the defaults for every request of that kind. */
export interface IntentSpec {
  readonly intent: string;
  readonly description: string;
  readonly task_class: string;
  readonly risk: RiskClass;
  readonly modality: string;
  readonly capability: string;
  /** Only a compliance reviewer may release the answer to such a request. */
  readonly regulated?: boolean;
  /** The acceptance criteria of a request that states none. */
  readonly criteria: readonly AcceptanceCriterion[];
}
export const IntentSpec: z.ZodType<IntentSpec> = exactObject({
  intent: Name,
  description: Statement,
  task_class: Name,
  risk: RiskClass,
  modality: Name,
  capability: Name,
  regulated: z.boolean().exactOptional(),
  criteria: AcceptanceCriteria,
});
