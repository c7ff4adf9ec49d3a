/** What is to be remembered is something that a tool brings: a misspelt type would be missed long after it was lost. */
import { ambit, lane, memoryStores } from 'ambit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { World } from '../../../src/facade/world.ts';
import { benchAgent } from '../lanes/bench.ts';
import { DAY_MS, KEEP, rememberingRig } from './bench.ts';

const KEPT = { ttlMs: DAY_MS, scope: 'all' };

test('a type that no tool produces is refused, with those that they do', () => {
  const refusal = expect.objectContaining({
    code: 'input_invalid',
    path: '/world/memory/keep/ordre',
    message: '/world/memory/keep/ordre: no tool produces evidence of the type ordre; they produce done, order, policy',
  });
  expect(() => rememberingRig({ keep: { ...KEEP, ordre: KEPT } })).toThrow(refusal);
});

const worker = benchAgent({ name: 'worker', tools: { dig: { produces: ['find'] } }, plans: [] });
const digging = lane({
  name: 'delegate.dig',
  description: 'Has somebody dig',
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
const keeping = (types: readonly string[]): Pick<World, 'memory'> => ({
  memory: { store: memoryStores.inMemory(), keep: Object.fromEntries(types.map((type) => [type, KEPT])) },
});

test('agents and their lanes share one memory: it is enough that one of them brings it', () => {
  const other = benchAgent({ name: 'clerk', tools: { file: { produces: ['file'] } }, plans: [] });
  const put = (types: readonly string[]) => () => ambit({ agents: [supervisor, other], world: keeping(types) });
  expect(put(['order', 'find', 'file'])()).toHaveProperty('invoke');
  expect(put(['order', 'grave'])).toThrow('they produce file, find, order');
});

test('where no tool produces anything, that is said', () => {
  const idle = benchAgent({ name: 'idle', tools: { wait: { produces: [] } }, plans: [] });
  expect(() => ambit({ agent: idle, world: keeping(['order']) })).toThrow('of the type order; they produce nothing');
});
