/** Runs that break the law on approved scopes and memory entries. */
import { expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import type { Effect } from '../../src/model/events/effect.ts';
import type { MemoryEntry } from '../../src/model/evidence/memory.ts';
import { canonicalize } from '../../src/model/json/canonical.ts';
import { addressOfText } from '../../src/model/json/hash.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import { askedBeforeUse } from '../../src/testing/simulator/laws/asked-before-use.ts';
import type { Moment, Witness } from '../../src/testing/simulator/laws/law.ts';

const BOUNDARY = {
  observations: { confirm_scopes: ['ledger'] },
  state_writes: { persistent_memory: 'approval' },
};

/** A witness with an approval of this packet; without approvals if the packet is null. */
function witness(packet: JsonObject | null, approver = 'ana', boundary: object = BOUNDARY): Witness {
  const text = canonicalize(packet ?? {});
  const hash = addressOfText(sha256, text);
  const known = { scenario: { pins: { agent: { boundary } } }, blobs: new Map([[hash, text]]) };
  return { ...known, approvals: packet === null ? [] : [{ packetHash: hash, approver }] } as unknown as Witness;
}

function moment(scopes: readonly string[], effects: readonly Effect[] = []): Moment {
  return { after: { intake: { token: { data_scopes: scopes } } }, effects } as unknown as Moment;
}

const entry = (value: string): MemoryEntry => ({ entry_id: 'memory_1', value }) as unknown as MemoryEntry;
const write = (value: string): Effect => ({ kind: 'write_memory', entries: [entry(value)] });

const says = (seen: Witness, at: Moment): string | null => askedBeforeUse(seen).event?.(at) ?? null;

test('is broken by an open scope that was not approved', () => {
  const shown = { gate: 'GATE_SCOPE_CONFIRMATION', scopes: ['ledger'] };
  expect(says(witness(shown), moment(['ledger']))).toBeNull();
  expect(says(witness(null), moment([]))).toBeNull();
  expect(says(witness(null), moment(['other']))).toBeNull();
  expect(says(witness(null), moment(['ledger']))).toBe('nobody opened ledger');
  expect(says(witness(shown, ''), moment(['ledger']))).toBe('nobody opened ledger');
  expect(says(witness({ ...shown, scopes: ['other'] }), moment(['ledger']))).toBe('nobody opened ledger');
  expect(says(witness({ ...shown, gate: 'GATE_OPS' }), moment(['ledger']))).toBe('nobody opened ledger');
});

test('is broken by a memory entry that was not approved, or approved with another value', () => {
  const shown = { gate: 'GATE_MEMORY_WRITE', entries: [entry('it is blue') as unknown as JsonObject] };
  expect(says(witness(shown), moment([], [write('it is blue')]))).toBeNull();
  expect(says(witness(shown), moment([], [write('it is red')]))).toContain('memory_1 may be remembered');
  expect(says(witness(null), moment([], [write('it is blue')]))).toContain('nobody said');
  const free = { ...BOUNDARY, state_writes: { persistent_memory: 'proposed' } };
  expect(says(witness(null, 'ana', free), moment([], [write('it is blue')]))).toBeNull();
});
