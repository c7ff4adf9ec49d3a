/** Tests that a verdict whose checkpoint cannot be written does not take effect. */
import { expect, test } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { holds, outage } from '../graphs/journals.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';

const OPTIONS: RigOptions = {
  tools: {
    pay: { side_effect: true, approval_mode: 'local_write', idempotency: { kind: 'key', retention_ms: 60_000 } },
    finish: { produces: ['done'] },
  },
  plans: [
    planOf([
      { id: 's1', tool: 'pay' },
      { id: 's2', tool: 'finish', depends_on: ['s1'] },
    ]),
  ],
};

verifies(
  'checkpoint:failure:aborts-verdict',
  'fails the session, records no verdict, and leaves pointer and effects unchanged',
  async () => {
    const { journal, store } = outage(holds('step_judged'), 1);
    const bench = rig({ ...OPTIONS, world: { journal } });
    const outcome = await bench.invoke();
    expect(outcome).toMatchObject({ status: 'failed', reason: 'checkpoint_write_failed' });
    const { runId } = outcome;
    const types = (await bench.events(runId)).map(({ type }) => type);
    expect(types).not.toContain('step_judged');
    expect(types).not.toContain('step_committed');
    const latest = await store.latestCheckpoint(runId);
    const saved = JSON.parse((await store.checkpoint(latest?.checkpoint_id ?? '')).text);
    expect(saved).toMatchObject({ sequence: 1, critic_verdict: 'ok', next_step: 's1' });
    const { state } = await bench.runtime.records.replay(runId);
    expect(state.work).toMatchObject({ cursor: 0, version: 0 });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['pay']);
    expect((await store.effects(runId)).map(({ step_id, tool }) => [step_id, tool])).toEqual([['s1', 'pay']]);
  },
);

test('records the tool answer that could not be written together with the ending, with its blob', async () => {
  const receipt = { ok: true, receipt: 'z'.repeat(5_000) };
  const { journal, store } = outage(holds('step_observed'), 1);
  const { tools } = OPTIONS;
  const pay = { ...tools?.['pay'], limits: { payload_max_bytes: 1_000 }, execute: () => receipt };
  const bench = rig({ ...OPTIONS, tools: { ...tools, pay }, world: { journal } });
  const { runId } = await bench.invoke();
  const seen = (await bench.events(runId)).flatMap((event) => (event.type === 'step_observed' ? [event.raw] : []));
  const [{ $blob }] = seen as unknown as readonly [{ readonly $blob: `sha256:${string}` }];
  expect(JSON.parse(await store.blob($blob))).toEqual(receipt);
});
