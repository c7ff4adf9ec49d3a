/** One call of one tool with rules, in a complete run. */
import { expect } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { ToolSpec } from '../../../src/model/tool/tool.ts';
import type { RunOutcome } from '../../../src/session/outcome.ts';
import { type Behaviour, operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

export type Tool = Partial<ToolSpec> & { readonly execute?: Behaviour };

export interface Called {
  readonly bench: Rig;
  readonly outcome: RunOutcome;
}

/** The tool's mode needs no approval, so only its category can stop the call. */
export async function invokeCall(tool: Tool, params: JsonObject, options: Partial<RigOptions> = {}): Promise<Called> {
  const bench = rig({
    tools: { act: { approval_mode: 'local_write', side_effect: true, produces: ['done'], ...tool } },
    plans: [1, 2, 3].map((n) => planOf([{ id: 'a', tool: 'act', params: { ...params, n } }], { plan_id: `plan_${n}` })),
    ...options,
    options: { limits: { onEscalate: 'end' }, ...options.options },
  });
  return { bench, outcome: await bench.invoke() };
}

export function expectSent({ bench, outcome }: Called): void {
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toHaveLength(1);
}

/** Expects a run that waits at the gate with nothing sent. Returns the packet. */
export async function expectGate({ bench, outcome }: Called, gate: string): Promise<JsonObject> {
  expect(outcome).toMatchObject({ status: 'awaiting_gate', suspended: { code: 'CONFIRM_REQUIRED' } });
  expect(outcome.pending).toMatchObject([{ name: gate }]);
  expect(bench.dispatches).toEqual([]);
  return (await bench.runtime.gates.packet(outcome.pending[0]?.packetHash ?? '')) as unknown as JsonObject;
}

export async function approve({ bench, outcome }: Called): Promise<RunOutcome> {
  const { gateId = '', packetHash = '' } = outcome.pending[0] ?? {};
  return await bench.settle(
    bench.runtime.approve(gateId, { packetHash, credential: operator('boss'), reason: 'seen' }),
  );
}

export function expectRefused({ bench, outcome }: Called, code: string, reason: string): void {
  expect(outcome).toMatchObject({ terminalCode: code, reason });
  expect(bench.dispatches).toEqual([]);
}

export const expectDenied = (called: Called): void =>
  expectRefused(called, 'PERMISSION_DENIED', 'argument_not_allowed');
