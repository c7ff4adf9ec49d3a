/** A replay reads what the run has recorded: its context, its registry, its memory and its snapshot, and nothing newer. */
import { expect, test } from 'vitest';
import { type MemoryDisk, memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { memoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import type { ContextItem } from '../../../src/model/context.ts';
import { type ContextPack, packAddress } from '../../../src/model/context-pack.ts';
import { verifies } from '../../requirements/verifies.ts';
import { nextLife } from '../executing/lives.ts';
import { DAY_MS, ofType, remembering } from '../memory/bench.ts';
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
    agent: (agent) => remembering('proposed')({ ...agent, pins: { ...agent.pins, snapshot_pin: 'kg_1@7' } }),
    world: { context: { pack, snapshot } },
  };
}

interface Ran {
  readonly disk: MemoryDisk;
  readonly runId: string;
  readonly replay: () => Promise<unknown>;
  /** Takes away what the run has recorded under this address. */
  readonly forget: (address: string) => void;
  readonly recorded: {
    readonly context: string;
    readonly memory: string;
    readonly registry: string;
    readonly graph: string;
  };
}

async function ran(): Promise<Ran> {
  const disk = memoryDisk();
  const journal = memoryJournal({ hash: sha256, disk });
  const store = memoryStore();
  const memory = { store, keep: { done: { ttlMs: DAY_MS, scope: 'all' } } };
  const first = options(1);
  const bench = rig({ ...first, world: { ...first.world, journal, memory } });
  await bench.invoke();
  const again = nextLife(bench, { ...first, world: { ...first.world, journal, memory } });
  const { runId } = await again.invoke();
  const [begun] = ofType(await again.events(runId), 'run_initialized');
  // All three stores go on: other tools, another graph, another memory.
  const newer = options(2, { extra: {} });
  await store.quarantine('tenant_a', 'run_1_memory_1', { reason: 'gone', at: START_MS });
  const later = nextLife(again, { ...newer, world: { ...newer.world, journal, memory } });
  return {
    disk,
    runId,
    replay: async () => (await later.runtime.replay(runId)).state.ending.verdict,
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
  'the sources have changed since, and the verdict comes out as it was',
  async () => {
    const { replay } = await ran();
    expect(await replay()).toBe('accept');
  },
);

verifies('replay:input:compiled-context', 'a context that is not there any more is named', async () => {
  const { replay, forget, recorded } = await ran();
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
  verifies('replay:input:pinned-snapshots', `a ${name} that is not there any more is named`, async () => {
    const { replay, forget, recorded } = await ran();
    forget(recorded[key]);
    await expect(replay()).rejects.toMatchObject({
      code: 'replay_input_missing',
      message: expect.stringContaining(`${name} ${recorded[key]}`),
    });
  });
}

test('a run that is taken over goes on with the context it began with; other content under its version refuses', async () => {
  const first = options(1, GATED);
  const gated = { ...first, plans: [planOf([{ id: 'a', tool: 'finish', requires: ['GATE_X'] }])] };
  const bench = rig(gated);
  const { runId, pending } = await bench.invoke();
  const [gate] = pending;
  const answer = { packetHash: gate?.packetHash ?? '', credential: operator('ana'), reason: 'fine' };
  const changed = nextLife(bench, { ...options(2, GATED), plans: [] });
  await expect(changed.runtime.resume(runId)).rejects.toMatchObject({ code: 'pack_version_mismatch' });
  const redrawn = nextLife(bench, { ...options(1, GATED, 2), plans: [] });
  await expect(redrawn.runtime.resume(runId)).rejects.toMatchObject({ code: 'snapshot_version_mismatch' });
  const same = nextLife(bench, { ...options(1, GATED), plans: [] });
  expect((await same.settle(same.runtime.approve(gate?.gateId ?? '', answer))).terminalCode).toBe('SUCCESS');
});

test.each(['pack', 'snapshot'] as const)('a %s that holds something else than its address says is refused', (which) => {
  const { world, ...rest } = options(1);
  const sources = world?.context as { readonly pack: ContextPack; readonly snapshot: ContextPack };
  const forged = { ...sources[which], items: [item('order', { total: 999 })] };
  const context = { ...sources, [which]: forged };
  expect(() => rig({ ...rest, world: { ...world, context } })).toThrow('does not hold what its address says');
});
