/** Context items keep their labels, cannot be edited, and are not supplied when stale. */
import { expect } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import type { CompiledContext, ContextItem } from '../../../src/model/evidence/context.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, planOf, type Rig, rig, START_MS } from '../rig.ts';

const ID = 'state:evidence:read-only-with-source-metadata';
const item = (key: string, changes: Partial<ContextItem> = {}): ContextItem => ({
  key,
  type: 'order',
  value: { total: 42 },
  source_id: 'crm',
  permission_scope: 'all',
  observed_at: START_MS - 1_000,
  fresh_until: START_MS + 3_600_000,
  trusted: true,
  authority: 1,
  personal_data: false,
  ...changes,
});
const contextOf = (items: readonly ContextItem[]): CompiledContext => ({
  context_id: 'context_1',
  pack_pin: 'ctxpack.bench@1.0.0',
  snapshot_pin: 'kg_1',
  items,
  compiled_at: START_MS,
  memory_snapshot: null,
});

for (const label of ['source_id', 'observed_at', 'permission_scope', 'fresh_until'] as const) {
  verifies(ID, `rejects an item without ${label}`, () => {
    const { [label]: _, ...unlabelled } = item('order_1');
    const context = contextOf([unlabelled as ContextItem]);
    const propose = (): never => {
      throw new Error('must not be called');
    };
    expect(() => ambit({ agent: agentFor([]), tools: [], planner: { propose }, world: { context } })).toThrow(
      expect.objectContaining({ code: 'input_invalid', path: `/items/0/${label}` }),
    );
  });
}

verifies(ID, 'a model can read an item but not change it', async () => {
  const context = contextOf([item('order_1')]);
  const bench = rig({
    tools: { finish: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'finish' }])],
    world: { context },
  });
  await bench.invoke();
  const shown = bench.planner.requests[0]?.context.items[0];
  expect(shown).toMatchObject({ key: 'order_1', source_id: 'crm', permission_scope: 'all' });
  expect(() => Object.assign(shown ?? {}, { value: { total: 1 } })).toThrow(TypeError);
  expect(() => Object.assign((shown?.value ?? {}) as object, { total: 1 })).toThrow(TypeError);
});

verifies(ID, 'does not supply an item past its freshness', async () => {
  const context = contextOf([item('stale_soon', { fresh_until: START_MS + 1_000 }), item('fresh')]);
  const bench: Rig = rig({
    tools: {
      read: {
        execute: () => {
          bench.clock.advanceTo(START_MS + 5_000);
          return { ok: true };
        },
      },
      finish: { produces: ['done'] },
    },
    plans: [planOf([{ id: 'a', tool: 'read' }]), planOf([{ id: 'b', tool: 'finish' }], { plan_id: 'plan_2' })],
    world: { context },
  });
  expect((await bench.invoke()).terminalCode).toBe('SUCCESS');
  expect(bench.planner.requests.map((request) => request.context.items.map(({ key }) => key))).toEqual([
    ['stale_soon', 'fresh'],
    ['fresh'],
  ]);
});
