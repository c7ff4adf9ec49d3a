/** A run that looks something up and pays after GATE_FINANCE is approved. */
import { operator, planOf, type Rig, type RigOptions, rig } from '../runs/rig.ts';

export const PAYING: RigOptions = {
  tools: {
    look: { execute: () => ({ total: 42 }) },
    pay: { approval_mode: 'destructive', gates: ['GATE_FINANCE'], side_effect: true, produces: ['done'] },
  },
  plans: [
    planOf([
      { id: 'a', tool: 'look' },
      { id: 'b', tool: 'pay', requires: ['GATE_FINANCE'], depends_on: ['a'] },
    ]),
  ],
};

export async function paid(options: RigOptions = PAYING): Promise<{ readonly bench: Rig; readonly runId: string }> {
  const bench = rig(options);
  const { runId, pending } = await bench.invoke();
  const [gate] = pending;
  if (gate === undefined) throw new Error('no gate');
  const answer = { packetHash: gate.packetHash, credential: operator('ana'), reason: 'fine' };
  await bench.settle(bench.runtime.approve(gate.gateId, answer));
  return { bench, runId };
}
