/**
 * Tests kill switches: a blocked call is not sent, whichever process throws the switch, and the run records who threw
 * it and why.
 */
import { expect, test } from 'vitest';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { crashDuringCall, restartProcess } from '../executing/crashed-process.ts';
import { operator, planOf, type RigOptions, rig } from '../rig.ts';

const PLAN = planOf([
  { id: 'a', tool: 'look' },
  { id: 'b', tool: 'pay', params: { amount: 5 }, depends_on: ['a'] },
]);
const BY = { by: 'ana', reason: 'refunds go to the wrong account' };

function shop(changes: RigOptions = {}): RigOptions {
  return {
    tools: {
      look: {},
      pay: {
        side_effect: true,
        approval_mode: 'local_write',
        produces: ['done'],
        idempotency: { kind: 'key', retention_ms: 600_000 },
      },
    },
    plans: [PLAN],
    ...changes,
  };
}

test.each([
  [{ tenant: 'tenant_a' }, []],
  [{ agent: 'worker' }, []],
  [{ tool: 'pay' }, ['look']],
])(
  'a switch on %o ends the run before the call, reads included, and records who threw it and why',
  async (scope, sent) => {
    const bench = rig(shop());
    const switchId = await bench.runtime.killSwitches.throw({ scope, ...BY });
    const run = await bench.invoke();
    expect(run).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'kill_switch_on' });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(sent);
    const events = await bench.events(run.runId);
    const refusal = events.find((event) => event.type === 'step_refused');
    expect(refusal).toMatchObject({ layer: 'infrastructure', code: 'kill_switch_on' });
    expect(refusal?.message).toMatch(/ana.*refunds go to the wrong account/);
    expect(events.filter(({ type }) => type === 'step_committed')).toHaveLength(sent.length);
    await bench.runtime.records.replay(run.runId);
    await bench.runtime.killSwitches.lift({ switchId, by: 'ben', reason: 'repaired' });
    expect(await bench.runtime.killSwitches.list()).toMatchObject([{ thrown: BY, lifted: { by: 'ben' } }]);
  },
);

/** A journal in which another process throws a switch on `pay` right before the first intent is written. */
function stoppedBeforeIntent(): Journal {
  const disk = memoryDisk();
  const elsewhere = memoryJournal({ hash: sha256, disk });
  const own = memoryJournal({ hash: sha256, disk });
  const thrown = { switch_id: 'switch_1', scope: { tool: 'pay' }, thrown: { ...BY, at: 1 }, lifted: null };
  return {
    ...own,
    append: async (append) => {
      if (append.projections.effects.length > 0) await elsewhere.throwSwitch(thrown);
      await own.append(append);
    },
  };
}

test('a switch that another process throws between clearance and intent stops the call', async () => {
  const bench = rig(shop({ world: { journal: stoppedBeforeIntent() } }));
  expect(await bench.invoke()).toMatchObject({ reason: 'kill_switch_on' });
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look']);
});

test('a large answer observed in the turn that such a switch stops keeps its blob', async () => {
  const found = { text: 'z'.repeat(5_000) };
  const look = { limits: { payload_max_bytes: 1_000 }, execute: () => found };
  const journal = stoppedBeforeIntent();
  const bench = rig(shop({ tools: { ...shop().tools, look }, world: { journal } }));
  const { runId, reason } = await bench.invoke();
  expect(reason).toBe('kill_switch_on');
  const seen = (await bench.events(runId)).flatMap((event) => (event.type === 'step_observed' ? [event.raw] : []));
  const [{ $blob }] = seen as unknown as readonly [{ readonly $blob: `sha256:${string}` }];
  expect(JSON.parse(await journal.blob($blob))).toEqual(found);
});

test('such a switch on the inner tool of a dispatcher stops the call, too', async () => {
  const { tools = {} } = shop();
  const bench = rig({
    tools: { ...tools, run: { ...tools['pay'], unwrap: { tool: '/tool', args: '/args' } } },
    plans: [planOf([{ id: 'a', tool: 'run', params: { tool: 'pay', args: { amount: 5 } } }])],
    world: { journal: stoppedBeforeIntent() },
  });
  expect(await bench.invoke()).toMatchObject({ reason: 'kill_switch_on' });
  expect(bench.dispatches).toEqual([]);
});

test('a call is not sent again after a crash while a switch is on, and stays in doubt', async () => {
  const options = shop();
  const first = await crashDuringCall('pay', options);
  const next = restartProcess(first, options);
  await next.runtime.killSwitches.throw({ scope: { tool: 'pay' }, ...BY });
  const run = await next.settle(next.runtime.resume('run_1'));
  expect(next.dispatches).toEqual([]);
  expect(run).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'kill_switch_on' });
  expect(await next.journal.effects('run_1')).toMatchObject([{ tool: 'pay', state: 'pending' }]);
});

test('rejects a switch without a scope or an operator', async () => {
  const { killSwitches } = rig(shop()).runtime;
  await expect(killSwitches.throw({ scope: {}, ...BY })).rejects.toMatchObject({ code: 'input_invalid' });
  await expect(killSwitches.throw({ scope: { tool: 'pay' }, by: '', reason: 'x' })).rejects.toMatchObject({
    code: 'input_invalid',
  });
});

test('a switch thrown while a cleared call waits for its rate slot stops that call', async () => {
  const rate = { calls: 1, per_ms: 30_000 };
  const bench = rig({
    tools: {
      pay: { side_effect: true, approval_mode: 'local_write', limits: { rate }, retries_max: 0 },
      finish: { produces: ['done'] },
    },
    plans: [
      planOf([
        { id: 'a', tool: 'pay', params: { n: 1 } },
        { id: 'b', tool: 'pay', params: { n: 2 }, depends_on: ['a'] },
        { id: 'c', tool: 'finish', depends_on: ['b'] },
      ]),
    ],
  });
  const { clock, runtime } = bench;
  const thrown = clock.until(clock.nowMs() + 10_000, new AbortController().signal);
  const throwing = thrown.then(() => runtime.killSwitches.throw({ scope: { tool: 'pay' }, ...BY }));
  const run = await bench.invoke();
  await throwing;
  expect(bench.dispatches).toHaveLength(1);
  const seen = (await bench.events(run.runId)).filter(({ type }) => type === 'step_observed');
  expect(seen[1]).toMatchObject({ outcome: 'denied', detail: expect.stringContaining('thrown by ana') });
});

const GATED = { approval_mode: 'destructive', side_effect: true, gates: ['GATE_OWNER'], produces: ['done'] } as const;
const WIPE = { id: 'a', tool: 'wipe', params: { disk: 'd1' }, requires: ['GATE_OWNER'] } as const;
const UNWRAP = { tool: '/tool', args: '/args' } as const;

test.each<[string, RigOptions]>([
  ['its tool', { tools: { wipe: GATED }, plans: [planOf([WIPE])] }],
  [
    'the inner tool of a dispatcher',
    {
      tools: { wipe: GATED, run: { ...GATED, unwrap: UNWRAP } },
      plans: [planOf([{ ...WIPE, tool: 'run', params: { tool: 'wipe', args: { disk: 'd1' } } }])],
    },
  ],
])('opens no gate for a call that is stopped by a switch on %s', async (_, options) => {
  const bench = rig(options);
  expect((await rig(options).invoke()).status).toBe('awaiting_gate');
  await bench.runtime.killSwitches.throw({ scope: { tool: 'wipe' }, ...BY });
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'kill_switch_on', pending: [] });
  const events = await bench.events(run.runId);
  expect(events.filter(({ type }) => type === 'gate_opened')).toEqual([]);
  expect(events.find(({ type }) => type === 'step_refused')).toMatchObject({ code: 'kill_switch_on' });
  expect((await bench.runtime.gates.list()).groups).toEqual([]);
  await bench.runtime.records.replay(run.runId);
});

test('does not reopen a gate for a call that a switch has stopped meanwhile', async () => {
  const bench = rig({ tools: { wipe: GATED }, plans: [planOf([WIPE])] });
  const { runId, pending } = await bench.invoke();
  const { gateId = '', packetHash = '' } = pending[0] ?? {};
  await bench.runtime.gates.requestInfo(gateId, { packetHash, credential: operator('lead_1'), reason: 'which disk?' });
  await bench.runtime.killSwitches.throw({ scope: { tool: 'wipe' }, ...BY });
  const answer = { packetHash, credential: operator('agt_worker'), text: 'the old one' };
  await expect(bench.runtime.gates.provideInfo(gateId, answer)).rejects.toMatchObject({ code: 'session_terminal' });
  expect(await bench.runtime.sessions.get(runId)).toMatchObject({ reason: 'kill_switch_on', pending: [] });
  expect(bench.dispatches).toEqual([]);
});
