/** Tests that items of trusted context count as evidence. */
import { expect, test } from 'vitest';
import type { CompiledContext, ContextItem } from '../../../src/model/evidence/context.ts';
import { planOf, type Rig, rig, START_MS } from '../rig.ts';

function rigWithContext(trusted: boolean): Rig {
  const item: ContextItem = {
    key: 'ctx_order_881',
    type: 'done',
    value: { shipped: true },
    source_id: 'crm',
    permission_scope: 'all',
    observed_at: START_MS,
    fresh_until: START_MS + 60_000,
    trusted,
    authority: 1,
    personal_data: false,
  };
  const context: CompiledContext = {
    context_id: 'ctx_1',
    pack_pin: 'ctxpack.bench@1.0.0',
    snapshot_pin: 'kg_1',
    items: [item],
    compiled_at: START_MS,
    memory_snapshot: null,
  };
  return rig({
    tools: { read: {}, finish: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'read' }])],
    world: { context },
  });
}

test('a criterion is met by an item of trusted context, and the claim cites it', async () => {
  const bench = rigWithContext(true);
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', text: 'The work is done.' });
  const answer = (await bench.events(outcome.runId)).find(({ type }) => type === 'response_compiled');
  expect(answer).toMatchObject({ claims: [{ observation: 'ctx_order_881' }] });
});

test('an item of untrusted context meets no criterion', async () => {
  expect((await rigWithContext(false).invoke()).terminalCode).not.toBe('SUCCESS');
});
