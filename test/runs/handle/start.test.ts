/** A run that was started can be followed, cancelled and awaited. */
import { afterEach, expect, test } from 'vitest';
import { Fault, type RunHandle } from '../../../src/index.ts';
import { planOf, REQUEST, rig, START_MS } from '../rig.ts';
import { ASK, collect, openShop, type Shop, USER } from './shop.ts';

const open: Shop[] = [];
const shop = (): Shop => {
  const opened = openShop();
  open.push(opened);
  return opened;
};
afterEach(async () => {
  for (const { runtime } of open.splice(0)) await runtime.close();
});

const typesOf = (events: readonly { readonly event: { readonly type: string } }[]): readonly string[] =>
  events.map(({ event }) => event.type);

test('returns at once with an id, and its events, text and outcome follow', async () => {
  const { runtime, nextCall } = shop();
  const run: RunHandle = runtime.start(ASK);
  expect(run.id).toMatch(/^run_/u);
  const reading = Promise.all([collect(run.events), collect(run.text)]);
  (await nextCall()).answer();
  const outcome = await run.settled;
  expect(outcome).toMatchObject({ runId: run.id, terminalCode: 'SUCCESS' });
  const [events, text] = await reading;
  expect(typesOf(events).slice(0, 2)).toEqual(['goal_received', 'intent_classified']);
  expect(typesOf(events).at(-1)).toBe('run_terminated');
  expect(text).toEqual([outcome.text]);
  expect(new Set(events.map(({ cursor }) => cursor)).size).toBe(events.length);
  expect(await collect(run.events)).toEqual(events);
  expect(await collect(runtime.sessions.watch(run.id))).toEqual(events);
});

test('another runtime on the same store continues the events after a cursor', async () => {
  const first = shop();
  const run = first.runtime.start(ASK);
  const call = await first.nextCall();
  const second = first.reopen();
  open.push(second);
  const seen: string[] = [];
  for await (const { cursor, event } of run.events) {
    seen.push(cursor);
    if (event.type === 'plan_verified') break;
  }
  const rest = collect(second.runtime.sessions.watch(run.id, { after: seen.at(-1) ?? '' }));
  const same = collect(run.eventsAfter(seen.at(-1) ?? ''));
  call.answer();
  await run.settled;
  const all = await collect(run.events);
  expect([...seen, ...(await rest).map(({ cursor }) => cursor)]).toEqual(all.map(({ cursor }) => cursor));
  expect(await same).toEqual(await rest);
  await expect(collect(run.eventsAfter('sometime'))).rejects.toMatchObject({ code: 'input_invalid', path: '/after' });
});

test('its requester cancels it while a tool is in flight', async () => {
  const { runtime, nextCall } = shop();
  const run = runtime.start(ASK);
  const text = collect(run.text);
  const { signal } = await nextCall();
  const cancelled = await run.cancel('no longer needed');
  expect(signal.aborted).toBe(true);
  expect(cancelled).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
  expect(await run.settled).toEqual(cancelled);
  expect(await text).toEqual([cancelled.text]);
  const sent = (await collect(run.events)).flatMap(({ event }) => (event.type === 'run_cancelled' ? [event] : []));
  expect(sent).toMatchObject([{ by: USER.name, reason: 'no longer needed' }]);
  expect(await run.cancel('again')).toEqual(cancelled);
});

test('a signal cancels it, before the start and during the run', async () => {
  const { runtime, nextCall, calls } = shop();
  const early = runtime.start(ASK, { signal: AbortSignal.abort(new Error('the client left')) });
  expect(await early.settled).toMatchObject({ terminalCode: 'USER_CANCEL' });
  const reasons = (await collect(early.events)).flatMap(({ event }) =>
    event.type === 'run_cancelled' ? [event.reason] : [],
  );
  expect(reasons).toEqual(['the client left']);
  expect(calls()).toBe(0);

  const controller = new AbortController();
  const late = runtime.start('support', ASK, { signal: controller.signal });
  await nextCall();
  controller.abort();
  expect(await late.settled).toMatchObject({ terminalCode: 'USER_CANCEL' });
});

test('a signal that aborts after the run has settled changes nothing', async () => {
  const { runtime, nextCall } = shop();
  const controller = new AbortController();
  const run = runtime.start(ASK, { signal: controller.signal });
  (await nextCall()).answer();
  const outcome = await run.settled;
  controller.abort();
  expect(await run.cancel('too late')).toEqual(outcome);
});

test('an invalid request throws a fault before anything is stored', async () => {
  const { runtime } = shop();
  const code = (start: () => unknown): readonly unknown[] => {
    try {
      start();
    } catch (error) {
      if (Fault.is(error)) return [error.code, error.path];
    }
    return [];
  };
  const wrong = (request: unknown): readonly unknown[] => code(() => runtime.start(request as never));
  expect(wrong({ user: USER })).toEqual(['envelope_invalid', '/message']);
  expect(wrong({ message: 'Hello' })).toEqual(['envelope_invalid', '/user']);
  expect(wrong({ message: 'Hello', goal: 'Hello', user: USER })).toEqual(['envelope_invalid', '/goal']);
  expect(wrong({ message: 'Hello', user: { name: 'ada' } })).toEqual(['envelope_invalid', '/user/tenant']);
  expect(wrong({ message: 'Hello', identity: { actor: 'ada' } })).toEqual(['envelope_invalid', '/identity/tenant_id']);
  expect(wrong({ message: 'Hello', user: USER, extra: 1 })[0]).toBe('envelope_invalid');
  expect(wrong({ message: 'Hello', user: USER, thread: 'a b' })).toEqual(['envelope_invalid', '/thread']);
  expect(wrong({ message: 'Hello', user: USER, intent: 'nope' })).toEqual(['envelope_invalid', '/intent']);
  expect(wrong(null)[0]).toBe('envelope_invalid');
  expect(code(() => runtime.start('nobody', ASK))).toEqual(['input_invalid', '/agent']);
  expect(code(() => runtime.start(ASK, { signal: {} as never }))).toEqual(['input_invalid', '/signal']);
  expect(code(() => runtime.start(ASK, { signl: AbortSignal.abort() } as never))).toEqual([
    'input_invalid',
    '/options/signl',
  ]);
  await expect(runtime.invoke({ message: 'Hello' } as never)).rejects.toMatchObject({ path: '/user' });
  expect(await runtime.sessions.list()).toEqual([]);
});

test('a run that the store refuses rejects in every part of the handle, read or not', async () => {
  const { runtime } = openShop();
  await runtime.close();
  const unread = runtime.start(ASK);
  const run = runtime.start(ASK);
  const fault = await run.settled.catch((error: unknown) => error);
  expect(Fault.is(fault)).toBe(true);
  await expect(collect(run.events)).rejects.toBe(fault);
  await expect(collect(run.text)).rejects.toBe(fault);
  await expect(run.cancel('gone')).rejects.toBe(fault);
  expect(unread.id).not.toBe(run.id);
});

test('invoke is the settled promise of start, also for the full envelope and the other names', async () => {
  const { runtime, nextCall } = shop();
  const identity = {
    actor: 'ada',
    tenant_id: 'shop',
    roles: [],
    scopes: ['orders.lookup'],
    expires_at: 4_000_000_000_000,
  };
  const inputs = { order_id: 'ord_881' };
  const envelope = {
    mode: 'standard',
    tenant_id: 'shop',
    agent: 'support',
    intent: 'order.status',
    goal: { statement: 'What does it cost?' },
    inputs,
    identity,
  } as const;
  const answerNext = async (): Promise<void> => (await nextCall()).answer();
  for (const invoked of [
    () => runtime.invoke(envelope),
    () => runtime.invoke({ goal: 'What does it cost?', identity, inputs }),
    () => runtime.invoke('support', { message: 'What does it cost?', user: identity, inputs }),
    () => runtime.start('support', ASK).settled,
  ]) {
    const [outcome] = await Promise.all([invoked(), answerNext()]);
    expect(outcome).toMatchObject({ terminalCode: 'SUCCESS' });
  }
});

test('a user by name gets the scopes of the tools, no roles, and the time of the run', async () => {
  const { runtime, nextCall } = shop();
  const run = runtime.start({ ...ASK, user: { ...USER, roles: ['clerk'] } } as typeof ASK);
  (await nextCall()).answer();
  const [first] = await collect(run.events);
  const received = first?.event.type === 'goal_received' ? first.event : null;
  expect(received?.identity).toEqual({
    actor: 'ada',
    tenant_id: 'shop',
    roles: ['clerk'],
    scopes: ['orders.lookup'],
    expires_at: received?.expires_at,
  });
});

test('a tenant starts runs under its own identity only', async () => {
  const { runtime, nextCall } = shop();
  const identity = {
    actor: 'ada',
    tenant_id: 'shop',
    roles: [],
    scopes: ['orders.lookup'],
    expires_at: Date.now() + 60_000,
  };
  const tenant = runtime.within(identity);
  expect(() => tenant.start({ ...ASK, user: { name: 'eve', tenant: 'shop' } } as typeof ASK)).toThrow(Fault);
  expect(() => tenant.start({ ...ASK, user: { ...USER, roles: ['root'] } } as typeof ASK)).toThrow(Fault);
  const run = tenant.start(ASK);
  (await nextCall()).answer();
  expect(await run.settled).toMatchObject({ terminalCode: 'SUCCESS' });
  const [first] = await collect(run.events);
  expect(first?.event).toMatchObject({ type: 'goal_received', identity });
  expect(await collect(run.text)).toHaveLength(1);
});

test('a tenant whose identity has expired can neither follow nor cancel its run', async () => {
  const { runtime, clock, settle } = rig({
    tools: { finish: { produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'finish' }])],
  });
  const identity = { ...REQUEST.identity, expires_at: START_MS + 60_000 };
  const run = runtime.within(identity).start({ message: 'Do the work', user: identity });
  expect(await settle(run.settled)).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(await collect(run.text)).toHaveLength(1);
  clock.advanceTo(identity.expires_at);
  await expect(collect(run.events)).rejects.toMatchObject({ code: 'permission_denied' });
  await expect(collect(run.eventsAfter('1.0'))).rejects.toMatchObject({ code: 'permission_denied' });
  await expect(run.cancel('late')).rejects.toMatchObject({ code: 'permission_denied' });
});

test('the journal names the conversation of a run', async () => {
  const { runtime } = shop();
  const threads: unknown[] = [];
  for (const request of [{ ...ASK, thread: 'th_1' }, ASK]) {
    const run = runtime.start(request);
    for await (const { event } of run.events) {
      if (event.type !== 'goal_received') continue;
      threads.push(event.thread);
      break;
    }
    await run.cancel('read enough');
  }
  expect(threads).toEqual(['th_1', undefined]);
});
