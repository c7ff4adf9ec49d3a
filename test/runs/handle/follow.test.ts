/** A handle on a run that was started earlier, in this process or another one. */
import { expect, test } from 'vitest';
import { operator, planOf, REQUEST, rig } from '../rig.ts';
import { ASK, collect, openShop, USER } from './shop.ts';

test('another process follows a run until it has ended, with the same events and text', async () => {
  const shop = openShop();
  const run = shop.runtime.start(ASK);
  const call = await shop.nextCall();
  const other = shop.reopen();
  const followed = await other.runtime.sessions.follow(run.id);
  const events = collect(followed.events);
  call.answer();
  expect(await followed.settled).toEqual(await run.settled);
  expect(await events).toEqual(await collect(run.events));
  expect(await collect(followed.text)).toEqual(await collect(run.text));
  await Promise.all([shop.runtime.close(), other.runtime.close()]);
});

test('the handle of a waiting run has settled; another handle settles with the outcome of a decision', async () => {
  const { runtime, settle } = rig({
    tools: { pay: { approval_mode: 'destructive', gates: ['GATE_A'], produces: ['done'] } },
    plans: [planOf([{ id: 's1', tool: 'pay', requires: ['GATE_A'] }])],
  });
  const waiting = await settle(runtime.start({ message: 'Do the work', user: REQUEST.identity }).settled);
  const [gate] = waiting.pending;
  const { gateId = '', packetHash = '' } = gate ?? {};
  const idle = await runtime.sessions.follow(waiting.runId);
  expect(await idle.settled).toEqual(waiting);
  expect(await idle.packet(packetHash)).toMatchObject({ action: 'pay', gate: 'GATE_A' });

  const until = () => runtime.approve(gateId, { packetHash, credential: operator('lead_1'), reason: 'good' });
  const followed = await runtime.sessions.follow(waiting.runId, { until });
  const events = await settle(collect(followed.events));
  expect(events.at(-1)?.event).toMatchObject({ type: 'run_terminated', code: 'SUCCESS' });
});

test('a followed run is cancelled on behalf of its requester', async () => {
  const shop = openShop();
  const run = shop.runtime.start(ASK);
  await shop.nextCall();
  const followed = await shop.runtime.sessions.follow(run.id);
  expect(await followed.cancel('changed my mind')).toMatchObject({ terminalCode: 'USER_CANCEL' });
  await shop.runtime.close();
});

test('an unknown run is session_not_found, and a run of another tenant is permission_denied', async () => {
  const shop = openShop();
  const run = shop.runtime.start(ASK);
  (await shop.nextCall()).answer();
  await run.settled;
  await expect(shop.runtime.sessions.follow('run_unknown')).rejects.toMatchObject({ code: 'session_not_found' });
  const identity = { actor: 'eve', tenant_id: 'rival', roles: [], scopes: [], expires_at: Date.now() + 60_000 };
  await expect(shop.runtime.within(identity).sessions.follow(run.id)).rejects.toMatchObject({
    code: 'permission_denied',
  });
  const own = await shop.runtime
    .within({ ...identity, actor: USER.name, tenant_id: USER.tenant })
    .sessions.follow(run.id);
  expect(await collect(own.text)).toEqual(await collect(run.text));
  await shop.runtime.close();
});

test('a reader that leaves while it waits for the next event does not wait for the run', async () => {
  const shop = openShop();
  const run = shop.runtime.start(ASK);
  const call = await shop.nextCall();
  const reader = run.events[Symbol.asyncIterator]();
  let next = await reader.next();
  while (next.done !== true && next.value.event.type !== 'step_attempted') next = await reader.next();
  const waiting = reader.next();
  await reader.return?.();
  expect(await waiting).toMatchObject({ done: true });
  call.answer();
  expect(await run.settled).toMatchObject({ status: 'completed' });
  await shop.runtime.close();
});
