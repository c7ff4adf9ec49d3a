/** The streams of a run end at a gate, and continue by cursor after the decision. */
import { expect, test } from 'vitest';
import { operator, planOf, REQUEST, rig } from '../rig.ts';
import { collect } from './shop.ts';

const OPTIONS = {
  tools: { pay: { approval_mode: 'destructive', gates: ['GATE_A'], produces: ['done'] } },
  plans: [planOf([{ id: 's1', tool: 'pay', requires: ['GATE_A'] }])],
} as const;

test('a run that waits at a gate has settled: its streams end, and a later signal does not cancel it', async () => {
  const { runtime, settle } = rig(OPTIONS);
  const client = new AbortController();
  const run = runtime.start({ message: 'Do the work', user: REQUEST.identity }, { signal: client.signal });
  const [events, text, waiting] = await settle(Promise.all([collect(run.events), collect(run.text), run.settled]));
  expect(waiting).toMatchObject({ status: 'awaiting_gate', text: null, pending: [{ name: 'GATE_A' }] });
  expect(text).toEqual([]);
  expect(events.at(-1)?.event.type).toBe('gate_opened');
  client.abort();

  const rest = collect(run.eventsAfter(events.at(-1)?.cursor ?? ''));
  const [gate] = waiting.pending;
  const answer = { packetHash: gate?.packetHash ?? '', credential: operator('lead_1'), reason: 'good' };
  const done = await settle(runtime.approve(gate?.gateId ?? '', answer));
  expect(done).toMatchObject({ terminalCode: 'SUCCESS' });
  const types = (await settle(rest)).map(({ event }) => event.type);
  expect([types[0], types.at(-1)]).toEqual(['gate_decided', 'run_terminated']);
  expect(await collect(run.text)).toEqual([done.text]);
  expect(await run.settled).toBe(waiting);
});

test('a run that waits at a gate can still be cancelled by its requester', async () => {
  const { runtime, settle, dispatches } = rig(OPTIONS);
  const run = runtime.start({ message: 'Do the work', user: REQUEST.identity });
  await settle(run.settled);
  expect(await settle(run.cancel('changed my mind'))).toMatchObject({ terminalCode: 'USER_CANCEL', pending: [] });
  expect(dispatches).toEqual([]);
});
