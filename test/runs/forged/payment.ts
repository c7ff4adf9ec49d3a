/** A payment behind a gate, for runtimes with and without keys that share a store. */
import type { World } from '../../../src/agent/world.ts';
import { planOf, type RigOptions, type RigTool } from '../rig.ts';

export interface PaymentOptions {
  readonly world?: Partial<World>;
  readonly execute?: NonNullable<RigTool['execute']>;
  /** What the payment tool does differently. */
  readonly pay?: RigTool;
}

/** The same agent, tools and plan for every process. The key of a call makes a repeated one harmless. */
export function payment({ world = {}, execute, pay = {} }: PaymentOptions = {}): RigOptions {
  return {
    tools: {
      pay: {
        approval_mode: 'destructive',
        side_effect: true,
        category: 'payment',
        gates: ['GATE_FINANCE'],
        produces: ['done'],
        idempotency: { kind: 'key', retention_ms: 3_600_000 },
        ...(execute === undefined ? {} : { execute }),
        ...pay,
      },
    },
    plans: [planOf([{ id: 's1', tool: 'pay', requires: ['GATE_FINANCE'], params: { amount: 5 } }])],
    world,
  };
}
