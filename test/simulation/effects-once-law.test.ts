/** Runs that break the law that an effect happens once. */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import type { RunState } from '../../src/kernel/state/run-state.ts';
import { GENESIS, sealFrame } from '../../src/model/events/frame.ts';
import { NO_COST, type ToolSpec } from '../../src/model/tool/tool.ts';
import { effectsOnce } from '../../src/testing/simulator/laws/effects-once.ts';
import type { Witness } from '../../src/testing/simulator/laws/law.ts';
import type { Dispatched } from '../../src/testing/simulator/world/tool-world.ts';
import { toolSpec } from '../runs/rig.ts';

describe('effects once', () => {
  const KEYED: Partial<ToolSpec> = { side_effect: true, idempotency: { kind: 'key', retention_ms: 1 } };
  const UNKEYED: Partial<ToolSpec> = { side_effect: true, idempotency: { kind: 'none' } };
  const sent = (spec: Partial<ToolSpec>, seq: number, key: string = 'k'): Dispatched => {
    const call = { call_id: `call_${seq}`, step_id: 'a', tool: 'pay', args: {}, args_hash: 'h', idempotency_key: key };
    return { call: { ...call, attempt: 1 }, spec: toolSpec('pay', spec), at: seq, seq };
  };
  const frame = (seq: number, ...events: readonly object[]) =>
    sealFrame({ session: 's', seq, at: 0, writer: 'w', events: JSON.stringify(events), prev: GENESIS }, sha256);
  const law = (
    dispatches: readonly Dispatched[],
    effects: readonly Dispatched[],
    ...between: readonly object[]
  ): string | null => {
    const byKey = Map.groupBy(effects, ({ call }) => call.idempotency_key);
    const frames = [frame(1), frame(2, ...between), frame(3)];
    const tools = { dispatches, effects: byKey };
    return effectsOnce({ tools, frames: () => frames } as unknown as Witness).end?.({} as RunState) ?? null;
  };
  const DECIDED = { type: 'escalation_decided', at: 0, decision: 'continue', by: 'ana', reason: '' };
  const REJECTED = {
    type: 'gate_decided',
    at: 0,
    gate_id: 'gate_1',
    packet_hash: 'h',
    decision: 'reject',
    approver: 'ana',
    reason: '',
  };

  test('is broken by two effects under one key', () => {
    const twice = [sent(KEYED, 1), sent(KEYED, 3)];
    expect(law(twice, twice.slice(0, 1))).toBeNull();
    expect(law(twice, twice, REJECTED)).toContain('went out at frame 1 and again at frame 3');
    expect(law(twice, twice, DECIDED)).toBeNull();
  });

  test('is broken by two dispatches without a key, with or without an effect', () => {
    const twice = [sent(UNKEYED, 1), sent(UNKEYED, 3)];
    expect(law(twice, [])).toContain('nobody decided that');
    expect(law(twice, [], DECIDED)).toBeNull();
  });

  test('is broken by the same call under another key while the first is in doubt', () => {
    const twice = [sent(KEYED, 1, 'k1'), sent(KEYED, 3, 'k2')];
    expect(law(twice, twice)).toContain('nobody decided that');
    const committed = { source: 'pay', version: 1, evidence_id: 'e', validator: 'v' };
    expect(law(twice, twice, { type: 'step_committed', at: 0, call_id: 'call_1', ...committed })).toBeNull();
  });

  test('is broken by a compensation equal to its call before the outcome of the call is known', () => {
    const twice = [sent(KEYED, 1, 'k1'), sent(KEYED, 3, 'k2')];
    const proposal = {
      type: 'compensation_proposed',
      at: 0,
      call_id: 'call_1',
      tool: 'pay',
      args: null,
      detail: '',
    };
    const observed = (outcome: string) => ({
      type: 'step_observed',
      at: 0,
      call_id: 'call_1',
      outcome,
      raw: null,
      spent: NO_COST,
    });
    expect(law(twice, twice, proposal)).toContain('nobody decided that');
    expect(law(twice, twice, proposal, observed('timeout'))).toContain('nobody decided that');
    expect(law(twice, twice, proposal, observed('ok'))).toBeNull();
    const undone = { call_id: 'call_0', step_id: 'a', tool: 'pay', compensation: 'pay', reason: '' };
    const settled = (outcome: string) => ({
      type: 'step_compensated',
      at: 0,
      settled: { ...undone, outcome, compensated_by: 'call_1' },
    });
    expect(law(twice, twice, settled('unknown'), observed('ok'))).toContain('nobody decided that');
    expect(law(twice, twice, settled('rolled_back'), observed('ok'))).toBeNull();
  });
});
