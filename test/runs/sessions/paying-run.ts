import { planOf, type RigOptions } from '../rig.ts';

/** An agent that looks something up and pays after an approval. */
export const PAYING: Pick<RigOptions, 'tools' | 'plans'> = {
  tools: {
    look: {},
    pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], produces: ['done'] },
  },
  plans: [
    planOf([
      { id: 's1', tool: 'look' },
      { id: 's2', tool: 'pay', params: { amount: 5 }, requires: ['GATE_A'], depends_on: ['s1'] },
    ]),
  ],
};
