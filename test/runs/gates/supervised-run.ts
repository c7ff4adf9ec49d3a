/** A run whose plan needs an approval. */
import type { Plan } from '../../../src/model/plan/plan.ts';
import { planOf, type RigOptions } from '../rig.ts';

export const SHOWN_PLAN: Plan = planOf([
  { id: 's1', tool: 'read', params: { n: 1 } },
  { id: 's2', tool: 'finish', depends_on: ['s1'] },
]);

export const SUPERVISED: RigOptions = {
  tools: { read: {}, finish: { produces: ['done'] } },
  options: { graph: 'supervised' },
};
