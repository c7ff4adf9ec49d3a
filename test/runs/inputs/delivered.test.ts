/** The inputs of a step reach its tool: resolved, hashed, shown and recorded. */
import { expect, test } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { address } from '../../../src/model/json/hash.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { of } from '../planning/bench.ts';
import { decide, reactiveBench } from '../reactive/bench.ts';
import { CAPS, operator, planOf, type RigTool, rig } from '../rig.ts';
import { firstPacket, inputTools, LOOKUP, PAY } from './bench.ts';

const approving = (packetHash: string) => ({ packetHash, credential: operator('lead_1'), reason: 'fine' });

/** Runs the lookup and the payment up to the gate of the payment. */
async function untilGate(order: JsonObject) {
  const { tools, received } = inputTools(() => order);
  const bench = rig({ tools, plans: [planOf([LOOKUP, PAY])] });
  const waiting = await bench.invoke();
  return { bench, received, waiting, packet: await firstPacket(bench, waiting) };
}

verifies(
  'validate:inputs:delivered-to-capability',
  'the tool receives the result of an earlier step with its types and evidence, as its packet shows it',
  async () => {
    const { bench, received, waiting, packet } = await untilGate({ total: 5 });
    const shown = {
      key: 'order',
      types: ['ORDER'],
      value: { total: 5 },
      step_id: 's1',
      evidence_id: 'ev_1',
      source: 'lookup',
      trusted: true,
    };
    expect(packet.inputs).toEqual([shown]);
    expect(packet.parameters).toEqual({ method: 'card' });
    expect(packet.evidence_refs).toEqual(['ev_1']);

    const [gate] = waiting.pending;
    const done = await bench.runtime.approve(gate?.gateId ?? '', approving(gate?.packetHash ?? ''));
    expect(done.terminalCode).toBe('SUCCESS');
    const evidence = { id: 'ev_1', stepId: 's1', tool: 'lookup', trusted: true };
    expect(received).toEqual([
      {
        tool: 'pay',
        args: { method: 'card' },
        inputs: [{ key: 'order', types: ['ORDER'], value: { total: 5 }, evidence }],
      },
    ]);
    expect(Object.isFrozen(received[0]?.inputs[0]?.value)).toBe(true);

    const cleared = of(await bench.events(done.runId), 'step_cleared').at(-1);
    expect(cleared).toMatchObject({ args_hash: packet.args_hash, inputs: { order: 'ev_1' } });
    await bench.runtime.records.replay(done.runId);
  },
);

verifies(
  'validate:inputs:delivered-to-capability',
  'the hash of a call covers the values of its inputs; without inputs it is the hash of the arguments',
  async () => {
    const [five, again, nine] = [
      await untilGate({ total: 5 }),
      await untilGate({ total: 5 }),
      await untilGate({ total: 9 }),
    ];
    expect(five.packet.args_hash).toBe(address(sha256, [{ method: 'card' }, { order: { total: 5 } }]));
    expect(again.packet.args_hash).toBe(five.packet.args_hash);
    expect(nine.packet.args_hash).not.toBe(five.packet.args_hash);
    const [looked] = of(await five.bench.events(five.waiting.runId), 'step_cleared');
    expect(looked).toMatchObject({ step_id: 's1', args_hash: address(sha256, {}) });
    expect(looked).not.toHaveProperty('inputs');
  },
);

test('an edit of the arguments keeps the inputs, and the new packet shows them', async () => {
  const { bench, received, waiting } = await untilGate({ total: 5 });
  const [gate] = waiting.pending;
  const edited = await bench.settle(
    bench.runtime.gates.edit(gate?.gateId ?? '', {
      ...approving(gate?.packetHash ?? ''),
      parameters: { method: 'bank' },
    }),
  );
  const packet = await firstPacket(bench, edited);
  expect(packet).toMatchObject({ parameters: { method: 'bank' }, inputs: [{ key: 'order', value: { total: 5 } }] });
  expect(packet.args_hash).toBe(address(sha256, [{ method: 'bank' }, { order: { total: 5 } }]));
  const [second] = edited.pending;
  const done = await bench.runtime.approve(second?.gateId ?? '', {
    packetHash: second?.packetHash ?? '',
    credential: operator('lead_2'),
    reason: 'fine',
  });
  expect(done.terminalCode).toBe('SUCCESS');
  expect(received).toMatchObject([{ args: { method: 'bank' }, inputs: [{ value: { total: 5 } }] }]);
});

test('an input that has changed since its approval needs a new one', async () => {
  let total = 5;
  const { tools, received } = inputTools(() => ({ total }));
  const failOnce: RigTool['execute'] = (args, context) => {
    if (total === 9) return tools['pay']?.execute?.(args, context) ?? null;
    total = 9;
    throw new Error('the terminal is offline');
  };
  const again = planOf([{ ...LOOKUP, id: 's3', params: { fresh: true } }, PAY], { plan_id: 'plan_2' });
  const bench = rig({
    tools: { ...tools, pay: { ...tools['pay'], retries_max: 0, execute: failOnce } },
    plans: [planOf([LOOKUP, PAY]), again],
  });
  const first = await bench.invoke();
  const old = first.pending[0]?.packetHash ?? '';
  const second = await bench.settle(bench.runtime.approve(first.pending[0]?.gateId ?? '', approving(old)));
  const [gate] = second.pending;
  expect(await firstPacket(bench, second)).toMatchObject({ inputs: [{ key: 'order', value: { total: 9 } }] });
  await expect(bench.runtime.approve(gate?.gateId ?? '', approving(old))).rejects.toMatchObject({
    code: 'grant_stale',
  });
  const done = await bench.settle(bench.runtime.approve(gate?.gateId ?? '', approving(gate?.packetHash ?? '')));
  expect(done.terminalCode).toBe('SUCCESS');
  expect(received.map(({ inputs }) => inputs[0]?.value)).toEqual([{ total: 9 }]);
});

test('a reactive run delivers the newest result of each type that the tool needs', async () => {
  const totals = [1, 2];
  const { tools, received } = inputTools(() => ({ total: totals.shift() ?? 0 }));
  const bench = reactiveBench(
    [
      decide('lookup', { id: 1 }, { context_key: 'first' }),
      decide('lookup', { id: 2 }, { context_key: 'second' }),
      decide('count'),
    ],
    { tools: { ...tools, count: { ...tools['count'], needs: ['ORDER'] } } },
  );
  const run = await bench.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  expect(received).toMatchObject([
    { tool: 'count', inputs: [{ key: 'second', types: ['ORDER'], value: { total: 2 } }] },
  ]);
  await bench.runtime.records.replay(run.runId);
});

test('a key fills no argument of the same name', async () => {
  const { tools, received } = inputTools(() => ({ total: 5 }));
  const input_schema = { type: 'object', properties: { order: { type: 'object' } } };
  const bench = rig({
    tools: { ...tools, count: { ...tools['count'], input_schema } },
    plans: [planOf([LOOKUP, { id: 's2', tool: 'count', inputs: ['order'] }])],
  });
  expect((await bench.invoke()).terminalCode).toBe('SUCCESS');
  expect(received).toMatchObject([{ args: {}, inputs: [{ key: 'order' }] }]);
});

test('an imported tool receives its arguments only', async () => {
  const { tools, received } = inputTools(() => ({ total: 5 }));
  const bench = rig({
    tools: { ...tools, count: { ...tools['count'], source: 'mcp:shop' } },
    plans: [planOf([LOOKUP, { id: 's2', tool: 'count', inputs: ['order'] }])],
  });
  const run = await bench.invoke();
  expect(received).toMatchObject([{ inputs: [] }]);
  const cleared = of(await bench.events(run.runId), 'step_cleared').at(-1);
  expect(cleared?.args_hash).toBe(address(sha256, {}));
});

test('a result that is stored outside the journal is delivered as a whole', async () => {
  const rows = Array.from({ length: 200 }, (_, at) => `row ${at}`);
  const { tools, received } = inputTools(() => ({ rows }));
  const bench = rig({
    tools: { ...tools, lookup: { ...tools['lookup'], limits: { payload_max_bytes: 100 } } },
    plans: [planOf([LOOKUP, { id: 's2', tool: 'count', inputs: ['order'] }])],
  });
  const run = await bench.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  expect(received[0]?.inputs[0]?.value).toEqual({ rows });
  await bench.runtime.records.replay(run.runId);
});

test.each([
  ['first', ['count', 'north', 'south']],
  ['second', ['north', 'count', 'south']],
])('a step with inputs that comes %s runs in no parallel lane', async (_, names) => {
  const { tools, received } = inputTools(() => ({ total: 5 }));
  const after = { depends_on: ['s1'] };
  const steps = names.map((tool) =>
    tool === 'count' ? { id: tool, tool, inputs: ['order'] } : { id: tool, tool, ...after },
  );
  const bench = rig({
    tools: { ...tools, north: {}, south: {} },
    caps: { ...CAPS, lanes_max: 4 },
    options: { limits: { parallelSteps: 2 } },
    plans: [planOf([LOOKUP, ...steps])],
  });
  const run = await bench.invoke();
  expect(run.terminalCode).toBe('SUCCESS');
  expect(received).toMatchObject([{ tool: 'count', inputs: [{ key: 'order' }] }]);
});

test('a packet of a reactive run lists the evidence behind its inputs', async () => {
  const { tools } = inputTools(() => ({ total: 5 }));
  const pay = { ...tools['pay'], needs: ['ORDER'] };
  const requires = { requires: ['GATE_OWNER'] };
  const bench = reactiveBench([decide('lookup', {}, { context_key: 'order' }), decide('pay', {}, requires)], {
    tools: { ...tools, pay },
  });
  const packet = await firstPacket(bench, await bench.invoke());
  expect(packet.inputs).toMatchObject([{ key: 'order', evidence_id: 'ev_1' }]);
  expect(packet.evidence).toEqual([{ evidence_id: 'ev_1', source: 'lookup', address: address(sha256, { total: 5 }) }]);
});

test('an imported equivalent does not replace a tool that receives inputs', async () => {
  const { tools } = inputTools(() => ({ total: 5 }));
  const count: RigTool = {
    ...tools['count'],
    retries_max: 0,
    equivalents: ['elsewhere'],
    execute: () => Promise.reject(new Error('out of order')),
  };
  const plan = (inputs: readonly string[]) => planOf([LOOKUP, { id: 's2', tool: 'count', inputs, depends_on: ['s1'] }]);
  const run = async (inputs: readonly string[]): Promise<readonly string[]> => {
    const elsewhere: RigTool = { source: 'mcp:shop', produces: ['done'] };
    const bench = rig({ tools: { ...tools, count, elsewhere }, plans: [plan(inputs)] });
    await bench.invoke();
    return bench.dispatches.map(({ tool }) => tool);
  };
  expect(await run([])).toEqual(['lookup', 'count', 'elsewhere']);
  expect(await run(['order'])).toEqual(['lookup', 'count']);
});
