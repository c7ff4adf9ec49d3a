/** Tools that read the inputs of their step: a lookup fills the key `order`, and other tools receive its result. */
import type { ApprovalPacket } from '../../../src/model/gate/approval-packet.ts';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import type { ToolInput } from '../../../src/ports/bound-tool.ts';
import type { Rig, RigOptions, RigTool } from '../rig.ts';

export interface Received {
  readonly tool: string;
  readonly args: JsonObject;
  readonly inputs: readonly ToolInput[];
}

/** Tools that note what they receive. `order` is what the lookup answers. */
export function inputTools(order: () => JsonObject): {
  readonly tools: NonNullable<RigOptions['tools']>;
  readonly received: readonly Received[];
} {
  const received: Received[] = [];
  const noting =
    (tool: string, answer: Json): NonNullable<RigTool['execute']> =>
    (args, { inputs }) => {
      received.push({ tool, args, inputs });
      return answer;
    };
  return {
    received,
    tools: {
      lookup: { produces: ['ORDER'], execute: order },
      mail: { produces: ['ORDER'], trusted: false, execute: order },
      count: { produces: ['COUNT', 'done'], execute: noting('count', { lines: 2 }) },
      pay: {
        approval_mode: 'destructive',
        side_effect: true,
        gates: ['GATE_OWNER'],
        produces: ['done'],
        execute: noting('pay', { paid: true }),
      },
    },
  };
}

export const LOOKUP: PlanStep = { id: 's1', tool: 'lookup', context_key: 'order' };
export const PAY: PlanStep = {
  id: 's2',
  tool: 'pay',
  params: { method: 'card' },
  inputs: [{ ORDER: 'order' }],
  requires: ['GATE_OWNER'],
};

/** The packet of the first open gate of a run. */
export async function firstPacket(
  { runtime }: Rig,
  { pending }: { readonly pending: readonly { readonly packetHash: string }[] },
): Promise<ApprovalPacket> {
  return (await runtime.gates.packet(pending[0]?.packetHash ?? '')) as unknown as ApprovalPacket;
}
