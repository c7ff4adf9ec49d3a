/** The shop of the runs in test/journals/format-5.sqlite, so that these runs can continue here. */
import { planOf, type RigOptions, type RigTool } from '../runs/rig.ts';

const acts = (changes: RigTool): RigTool => ({
  approval_mode: 'local_write',
  side_effect: true,
  idempotency: { kind: 'key', retention_ms: 600_000 },
  retries_max: 0,
  ...changes,
});

export const FORMAT_5_SHOP: RigOptions = {
  tools: {
    note: acts({ execute: () => ({ noted: 1 }) }),
    pay: acts({ execute: () => ({ paid: 42 }) }),
    post: acts({ approval_mode: 'network', gates: ['GATE_POST'], produces: ['done'] }),
  },
  plans: [
    planOf([
      { id: 'a', tool: 'note' },
      { id: 'b', tool: 'pay', depends_on: ['a'] },
      { id: 'c', tool: 'post', depends_on: ['b'], requires: ['GATE_POST'] },
    ]),
  ],
};
