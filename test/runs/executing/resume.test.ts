/** Tests that another process resumes a run at its next step and repeats nothing. */
import { expect, test } from 'vitest';
import { vecToArray } from '../../../src/kernel/state/vec.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, type RigOptions } from '../rig.ts';
import { crashDuringCall, restartProcess } from './crashed-process.ts';

const OPTIONS: RigOptions = {
  tools: { one: {}, two: {}, three: {}, four: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 's1', tool: 'one' },
      { id: 's2', tool: 'two', depends_on: ['s1'] },
      { id: 's3', tool: 'three', depends_on: ['s2'] },
      { id: 's4', tool: 'four', depends_on: ['s3'] },
    ]),
  ],
};

verifies(
  [
    'resume:pointer:continues-at-next-step',
    'plan:execution:progress-saved-per-step',
    'execute:partial:progress-recorded',
  ],
  'does not repeat committed steps and continues with the next call',
  async () => {
    const first = await crashDuringCall('three', OPTIONS);
    const saved = await first.journal.latestCheckpoint('run_1');
    const { text } = await first.journal.checkpoint(saved?.checkpoint_id ?? '');
    expect(JSON.parse(text)).toMatchObject({ after_step: 's2', next_step: 's3' });

    const second = restartProcess(first, { ...OPTIONS, plans: [] });
    const { state: found } = await second.runtime.records.replay('run_1');
    expect(vecToArray(found.work.progress).map(({ status }) => status)).toEqual([
      'committed',
      'committed',
      'pending',
      'pending',
    ]);
    const done = await second.settle(second.runtime.resume('run_1'));
    expect(done.terminalCode).toBe('SUCCESS');
    expect(second.dispatches.map(({ tool }) => tool)).toEqual(['three', 'four']);
    expect(second.planner.requests).toEqual([]);
  },
);

verifies(
  'resume:calls:never-repeated',
  'a repeated call that already had its effect is absorbed by its idempotency key',
  async () => {
    const ledger = new Map<string, { receipt: number }>();
    const pay = {
      side_effect: true,
      approval_mode: 'local_write',
      idempotency: { kind: 'key', retention_ms: 3_600_000 },
      execute: (_args: unknown, { idempotencyKey }: { idempotencyKey: string }) => {
        const receipt = ledger.get(idempotencyKey) ?? { receipt: ledger.size + 1 };
        ledger.set(idempotencyKey, receipt);
        return receipt;
      },
    } as const;
    const options: RigOptions = { ...OPTIONS, tools: { ...OPTIONS.tools, three: pay } };
    const first = await crashDuringCall('three', options);
    expect(ledger.size).toBe(1);

    const second = restartProcess(first, { ...options, plans: [] });
    const done = await second.settle(second.runtime.resume('run_1'));
    expect(done.terminalCode).toBe('SUCCESS');
    expect(ledger.size).toBe(1);
    expect(second.dispatches.map(({ tool }) => tool)).toEqual(['three', 'four']);
    expect(second.dispatches[0]?.key).toBe(first.dispatches[2]?.key);
    const { state } = await second.runtime.records.replay('run_1');
    expect(state.budget?.used).toMatchObject({ side_effects: 1, tool_calls: 5 });
    const observed = (await second.events('run_1')).flatMap((event) => (event.type === 'step_observed' ? [event] : []));
    expect(observed[2]?.raw).toEqual({ receipt: 1 });
  },
);

test('finds a checkpoint by its id, and rejects an unknown run id', async () => {
  const first = await crashDuringCall('three', OPTIONS);
  const second = restartProcess(first, { ...OPTIONS, plans: [] });
  const { row, text } = await second.journal.checkpoint('ck_run_1_3');
  expect(await second.journal.latestCheckpoint('run_1')).toEqual(row);
  const { state } = await second.runtime.records.replay('run_1');
  const saved = JSON.parse(text);
  expect(saved).toMatchObject({
    sequence: 3,
    plan_id: state.planning.active?.plan.plan_id,
    history: state.work.sealed,
  });
  expect(state.current?.stepId).toBe(saved.next_step);
  await expect(second.runtime.resume('run_9')).rejects.toMatchObject({ code: 'session_not_found' });
});
