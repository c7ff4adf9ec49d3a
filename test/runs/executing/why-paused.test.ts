/** Whoever looks at a session that stands still reads who paused it, why, and what lets it go on. */
import { expect, test } from 'vitest';
import { operator, planOf, REQUEST, type Rig, type RigOptions, rig } from '../rig.ts';
import { nextLife } from './lives.ts';

const PLAN = planOf([
  { id: 's1', tool: 'slow' },
  { id: 's2', tool: 'finish', depends_on: ['s1'] },
]);
const WORD = { credential: operator('ops_1'), reason: 'a customer has complained' };

/** A session that was told something while a tool was at work. */
async function told(say: (bench: Rig) => Promise<unknown>): Promise<Rig> {
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
  const saying = say(bench);
  answer.resolve({ ok: true });
  await saying;
  const outcome = await resting;
  expect(outcome).toMatchObject({ status: 'paused' });
  expect(await bench.runtime.outcome('run_1')).toEqual(outcome);
  return bench;
}

test('paused by an operator: who, in their own words, and what lets it go on', async () => {
  const bench = await told(({ runtime }) => runtime.pause('run_1', WORD));
  const why = ['ops_1 has paused it ("a customer has complained"): it goes on when an operator lets it'];
  expect(await bench.runtime.outcome('run_1')).toMatchObject({ why });
  const later = nextLife(bench, { tools: { slow: {}, finish: { produces: ['done'] } }, plans: [] });
  expect(await later.runtime.outcome('run_1')).toMatchObject({ why });
  const elsewhere = rig({ tools: { other: { produces: ['done'] } } });
  await elsewhere.runtime.importRun(await bench.runtime.exportRun('run_1'));
  expect(await elsewhere.runtime.outcome('run_1')).toMatchObject({ why });
  const done = await bench.settle(bench.runtime.resumeSession('run_1', operator('ops_1')));
  expect(done).toMatchObject({ terminalCode: 'SUCCESS', why: [] });
});

test('interrupted, it goes on by itself; and where no reason was given, that is said', async () => {
  const interrupted = await told(({ runtime }) => runtime.interrupt('run_1', WORD));
  expect((await interrupted.runtime.outcome('run_1')).why).toEqual([
    'ops_1 has interrupted it ("a customer has complained"): it goes on with whoever drives sessions next',
  ]);
  const unexplained = await told(({ runtime }) =>
    runtime.tell('run_1', { type: 'run_paused', cause: 'operator', by: 'ops_1' }),
  );
  expect((await unexplained.runtime.outcome('run_1')).why).toEqual([
    'ops_1 has paused it, and gave no reason: it goes on when an operator lets it',
  ]);
});
