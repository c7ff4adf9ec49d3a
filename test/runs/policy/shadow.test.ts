/** Compares a candidate with a recorded run: lists the differences and changes nothing. */
import { expect, test } from 'vitest';
import { planOf, rig } from '../rig.ts';
import { CHANGES, cedar, PERMIT_ALL } from './bench.ts';

const NO_PAY = `${PERMIT_ALL} @id("no_pay") forbid (principal, action, resource == Ambit::Tool::"pay");`;
const ASK_PAY = `${PERMIT_ALL} @id("ask") @gate("GATE_A") permit (principal, action, resource == Ambit::Tool::"pay");`;

const bench = (calls: ReturnType<typeof cedar>): ReturnType<typeof rig> =>
  rig({
    tools: { look: {}, pay: { ...CHANGES, produces: ['done'] } },
    plans: [
      planOf([
        { id: 'a', tool: 'look' },
        { id: 'b', tool: 'pay', depends_on: ['a'], params: { amount: { $from: 'a', path: '/ok' } } },
      ]),
    ],
    world: { policy: { calls } },
  });

test('lists a call that ran and would have waited, for the plan and for the call', async () => {
  const { runtime, invoke, dispatches } = bench(cedar(PERMIT_ALL));
  const { runId } = await invoke();
  const before = await runtime.records.frames(runId);
  const found = await runtime.records.shadow(runId, cedar(ASK_PAY));
  expect(found.map(({ request, active, candidate }) => [request.resource.name, active.gates, candidate.gates])).toEqual(
    [
      ['pay', [], ['GATE_A']],
      ['pay', [], ['GATE_A']],
    ],
  );
  expect(dispatches).toHaveLength(2);
  expect(await runtime.records.frames(runId)).toEqual(before);
});

test('lists a call that was denied and would have run', async () => {
  const { runtime, invoke } = bench(cedar(NO_PAY));
  const { runId } = await invoke();
  expect(await runtime.records.shadow(runId, cedar(PERMIT_ALL))).toMatchObject([
    { request: { resource: { name: 'pay' } }, active: { effect: 'forbid' }, candidate: { effect: 'permit' } },
  ]);
});

test('equal policies have no differences, and a run without policies cannot be compared', async () => {
  const ruled = bench(cedar(PERMIT_ALL));
  const { runId } = await ruled.invoke();
  expect(await ruled.runtime.records.shadow(runId, cedar(PERMIT_ALL.replace('"all"', '"everything"')))).toEqual([]);
  const unruled = rig({ tools: { look: { produces: ['done'] } }, plans: [planOf([{ id: 'a', tool: 'look' }])] });
  const outcome = await unruled.invoke();
  await expect(unruled.runtime.records.shadow(outcome.runId, cedar(PERMIT_ALL))).rejects.toMatchObject({
    code: 'input_invalid',
  });
});
