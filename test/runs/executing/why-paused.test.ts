/** Tests that the outcome of a paused session says who paused it, why, and how it continues. */
import { expect, test } from 'vitest';
import { operator, planOf, REQUEST, type Rig, type RigOptions, rig } from '../rig.ts';
import { restartProcess } from './crashed-process.ts';

const PLAN = planOf([
  { id: 's1', tool: 'slow' },
  { id: 's2', tool: 'finish', depends_on: ['s1'] },
]);
const WORD = { credential: operator('ops_1'), reason: 'a customer has complained' };

/** A session that receives a command while a tool is running. */
async function pausedSession(send: (bench: Rig) => Promise<unknown>): Promise<Rig> {
  const reached = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<{ ok: true }>();
  const execute = async (): Promise<{ ok: true }> => {
    reached.resolve();
    return await answer.promise;
  };
  const options: RigOptions = { tools: { slow: { execute }, finish: { produces: ['done'] } }, plans: [PLAN] };
  const bench = rig(options);
  const resting = bench.runtime.invoke(REQUEST);
  await reached.promise;
  const sending = send(bench);
  answer.resolve({ ok: true });
  await sending;
  const outcome = await resting;
  expect(outcome).toMatchObject({ status: 'paused' });
  expect(await bench.runtime.sessions.get('run_1')).toEqual(outcome);
  return bench;
}

test('names the operator who paused, their reason, and how the session continues', async () => {
  const bench = await pausedSession(({ runtime }) => runtime.sessions.pause('run_1', WORD));
  const why = ['ops_1 paused the session ("a customer has complained"); an operator can resume it'];
  expect(await bench.runtime.sessions.get('run_1')).toMatchObject({ why });
  const later = restartProcess(bench, { tools: { slow: {}, finish: { produces: ['done'] } }, plans: [] });
  expect(await later.runtime.sessions.get('run_1')).toMatchObject({ why });
  const elsewhere = rig({ tools: { other: { produces: ['done'] } } });
  await elsewhere.runtime.records.import(await bench.runtime.records.export('run_1'));
  expect(await elsewhere.runtime.sessions.get('run_1')).toMatchObject({ why });
  const done = await bench.settle(bench.runtime.sessions.resume('run_1', operator('ops_1')));
  expect(done).toMatchObject({ terminalCode: 'SUCCESS', why: [] });
});

test('says that an interrupted session continues by itself, and that a pause has no reason', async () => {
  const interrupted = await pausedSession(({ runtime }) => runtime.sessions.interrupt('run_1', WORD));
  expect((await interrupted.runtime.sessions.get('run_1')).why).toEqual([
    'ops_1 interrupted the session ("a customer has complained"); the next process that serves sessions resumes it',
  ]);
  const unexplained = await pausedSession(({ runtime }) =>
    runtime.sessions.send('run_1', { type: 'run_paused', cause: 'operator', by: 'ops_1' }),
  );
  expect((await unexplained.runtime.sessions.get('run_1')).why).toEqual([
    'ops_1 paused the session without a reason; an operator can resume it',
  ]);
});
