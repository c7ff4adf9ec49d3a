/** Memory keeps evidence types that a tool produces. A misspelt type would only be noticed after data was lost. */
import { ambit, lane } from 'ambit';
import { memoryStores } from 'ambit/store';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { World } from '../../../src/agent/world.ts';
import { benchAgent } from '../lanes/bench.ts';
import { DAY_MS, KEEP, rememberingRig } from './bench.ts';

const KEPT = { ttlMs: DAY_MS, scope: 'all' };

test('rejects a type that no tool produces, and lists those that tools do produce', () => {
  const refusal = expect.objectContaining({
    code: 'input_invalid',
    path: '/world/memory/keep/ordre',
    message: '/world/memory/keep/ordre: no tool produces evidence of type ordre; the tools produce done, order, policy',
  });
  expect(() => rememberingRig({ keep: { ...KEEP, ordre: KEPT } })).toThrow(refusal);
});

const worker = benchAgent({ name: 'worker', tools: { dig: { produces: ['find'] } }, plans: [] });
const digging = lane({
  name: 'delegate.dig',
  description: 'Delegates digging',
  agent: worker,
  task: {
    inputSchema: z.object({}),
    outputSchema: z.object({ find: z.unknown() }),
    goal: () => 'Dig',
    returns: ['find'],
  },
});
const supervisor = benchAgent({
  name: 'supervisor',
  tools: { look: { produces: ['order'] } },
  plans: [],
  lanes: [digging],
});
const worldKeeping = (types: readonly string[]): Pick<World, 'memory'> => ({
  memory: { store: memoryStores.inMemory(), keep: Object.fromEntries(types.map((type) => [type, KEPT])) },
});

test('agents and lanes share one memory: one producer is enough', () => {
  const other = benchAgent({ name: 'clerk', tools: { file: { produces: ['file'] } }, plans: [] });
  const put = (types: readonly string[]) => () => ambit({ agents: [supervisor, other], world: worldKeeping(types) });
  expect(put(['order', 'find', 'file'])()).toHaveProperty('invoke');
  expect(put(['order', 'grave'])).toThrow('the tools produce file, find, order');
});

test('says so if no tool produces anything', () => {
  const idle = benchAgent({ name: 'idle', tools: { wait: { produces: [] } }, plans: [] });
  expect(() => ambit({ agent: idle, world: worldKeeping(['order']) })).toThrow(
    'of type order; the tools produce no evidence',
  );
});
