/** A run that waits at a gate, so that a test can send it commands in the meantime. */
import type { PendingGate } from '../../../src/session/outcome.ts';
import { planOf, type Rig, type RigOptions, rig } from '../rig.ts';

export const GATED: RigOptions = {
  tools: { pay: { produces: ['done'], approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'] } },
  plans: [planOf([{ id: 'a', tool: 'pay', requires: ['GATE_A'] }])],
};

export async function waitingAtGate(
  options: RigOptions = GATED,
): Promise<{ readonly bench: Rig; readonly gate: PendingGate }> {
  const bench = rig(options);
  const { pending } = await bench.invoke();
  const [gate] = pending;
  if (gate === undefined) throw new Error('no gate');
  return { bench, gate };
}

/** Waits until the run reaches a node, then acts. */
export async function whenAtNode<T>(bench: Rig, node: string, act: () => Promise<T>): Promise<T> {
  for (;;) {
    const [row] = await bench.journal.list({});
    if (row?.node === node) return await act();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
