/** A replay uses the context, registry, memory and snapshot that the run recorded, and nothing newer. */
import { expect, test } from 'vitest';
import { type MemoryDisk, memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { memoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { ContextItem } from '../../../src/model/evidence/context.ts';
import { type ContextPack, packAddress } from '../../../src/model/evidence/context-pack.ts';
import { verifies } from '../../requirements/verifies.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import { DAY_MS, ofType, withMemorySetting } from '../memory/bench.ts';
import { operator, planOf, type RigOptions, rig, START_MS } from '../rig.ts';

const item = (key: string, value: unknown): ContextItem => ({
  key,
  type: key,
  value: value as never,
  source_id: 'crm',
  permission_scope: 'all',
  observed_at: START_MS - 1_000,
  fresh_until: START_MS + DAY_MS,
  trusted: true,
  authority: 1,
  personal_data: false,
});

const packOf = (pin: string, items: readonly ContextItem[]): ContextPack => ({
  pin,
  items,
  address: packAddress(sha256, { pin, items }),
});

const PLAN = planOf([{ id: 'a', tool: 'finish' }]);
const GATED = {
  finish: { produces: ['done'], approval_mode: 'destructive', gates: ['GATE_X'], retries_max: 0 } as const,
};

function options(total: number, more: RigOptions['tools'] = {}, edges = total): RigOptions {
  const pack = packOf('ctxpack.bench@1.0.0', [item('order', { total })]);
  const snapshot = packOf('kg_1@7', [item('graph', { edges })]);
  return {
    tools: { finish: { produces: ['done'] }, ...more },
    plans: [PLAN],
    agent: (agent) => withMemorySetting('proposed')({ ...agent, pins: { ...agent.pins, snapshot_pin: 'kg_1@7' } }),
    world: { context: { pack, snapshot } },
  };
}

interface RecordedRun {
  readonly disk: MemoryDisk;
  readonly runId: string;
  readonly replay: () => Promise<unknown>;
  /** Deletes the blob that the run recorded under this address. */
  readonly forget: (address: string) => void;
  readonly recorded: {
    readonly context: string;
    readonly memory: string;
    readonly registry: string;
    readonly graph: string;
  };
}

async function recordRun(): Promise<RecordedRun> {
  const disk = memoryDisk();
  const journal = memoryJournal({ hash: sha256, disk });
  const store = memoryStore();
  const memory = { store, keep: { done: { ttlMs: DAY_MS, scope: 'all' } } };
  const first = options(1);
  const bench = rig({ ...first, world: { ...first.world, journal, memory } });
  await bench.invoke();
  const again = restartProcess(bench, { ...first, world: { ...first.world, journal, memory } });
  const { runId } = await again.invoke();
  const [begun] = ofType(await again.events(runId), 'run_initialized');
  // All three stores change: other tools, another graph, another memory.
  const newer = options(2, { extra: {} });
  await store.quarantine('tenant_a', 'run_1_memory_1', { reason: 'gone', at: START_MS });
  const later = restartProcess(again, { ...newer, world: { ...newer.world, journal, memory } });
  return {
    disk,
    runId,
    replay: async () => (await later.runtime.records.replay(runId)).state.ending.verdict,
    forget: (address) => void disk.blobs.delete(address as `sha256:${string}`),
    recorded: {
      context: begun?.context ?? '',
      memory: begun?.manifest.memory_snapshot ?? '',
      registry: begun?.manifest.tool_registry_version ?? '',
      graph: packOf('kg_1@7', [item('graph', { edges: 1 })]).address,
    },
  };
}

verifies(
  ['replay:input:compiled-context', 'replay:input:pinned-snapshots'],
  'replays to the same verdict after the sources have changed',
  async () => {
    const { replay } = await recordRun();
    expect(await replay()).toBe('accept');
  },
);

verifies('replay:input:compiled-context', 'names a missing compiled context', async () => {
  const { replay, forget, recorded } = await recordRun();
  forget(recorded.context);
  await expect(replay()).rejects.toMatchObject({
    code: 'replay_input_missing',
    message: expect.stringContaining(`compiled context ${recorded.context}`),
  });
});

for (const [name, key] of [
  ['memory snapshot', 'memory'],
  ['tool registry', 'registry'],
  ['snapshot', 'graph'],
] as const) {
  verifies('replay:input:pinned-snapshots', `names a missing ${name}`, async () => {
    const { replay, forget, recorded } = await recordRun();
    forget(recorded[key]);
    await expect(replay()).rejects.toMatchObject({
      code: 'replay_input_missing',
      message: expect.stringContaining(`${name} ${recorded[key]}`),
    });
  });
}

test('a resumed run keeps its context, and other content under the same version is rejected', async () => {
  const first = options(1, GATED);
  const gated = { ...first, plans: [planOf([{ id: 'a', tool: 'finish', requires: ['GATE_X'] }])] };
  const bench = rig(gated);
  const { runId, pending } = await bench.invoke();
  const [gate] = pending;
  const answer = { packetHash: gate?.packetHash ?? '', credential: operator('ana'), reason: 'fine' };
  const changed = restartProcess(bench, { ...options(2, GATED), plans: [] });
  await expect(changed.runtime.resume(runId)).rejects.toMatchObject({ code: 'pack_version_mismatch' });
  const redrawn = restartProcess(bench, { ...options(1, GATED, 2), plans: [] });
  await expect(redrawn.runtime.resume(runId)).rejects.toMatchObject({ code: 'snapshot_version_mismatch' });
  const same = restartProcess(bench, { ...options(1, GATED), plans: [] });
  expect((await same.settle(same.runtime.approve(gate?.gateId ?? '', answer))).terminalCode).toBe('SUCCESS');
});

test.each(['pack', 'snapshot'] as const)('rejects a %s whose content does not match its address', (which) => {
  const { world, ...rest } = options(1);
  const sources = world?.context as { readonly pack: ContextPack; readonly snapshot: ContextPack };
  const forged = { ...sources[which], items: [item('order', { total: 999 })] };
  const context = { ...sources, [which]: forged };
  expect(() => rig({ ...rest, world: { ...world, context } })).toThrow('does not match its address');
});
