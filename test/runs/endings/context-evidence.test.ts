/** What a run was given as trusted context was observed before it began, and an answer may rest on it. */
import { expect, test } from 'vitest';
import type { CompiledContext, ContextItem } from '../../../src/model/context.ts';
import { planOf, type Rig, rig, START_MS } from '../rig.ts';

function given(trusted: boolean): Rig {
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

test('a criterion that trusted context shows is met and claimed on that item', async () => {
  const bench = given(true);
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ terminalCode: 'SUCCESS', answer: 'The work is done.' });
  const answer = (await bench.events(outcome.runId)).find(({ type }) => type === 'response_compiled');
  expect(answer).toMatchObject({ claims: [{ observation: 'ctx_order_881' }] });
});

test('what an untrusted source said shows nothing', async () => {
  expect((await given(false).invoke()).terminalCode).not.toBe('SUCCESS');
});
