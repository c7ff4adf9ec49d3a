/** Every public entry point by reflection, and junk for its arguments. */
import * as aiSdk from '../../src/adapters/ai-sdk/index.ts';
import * as cedar from '../../src/adapters/cedar/index.ts';
import * as mcp from '../../src/adapters/mcp/index.ts';
import * as approvals from '../../src/approvals.ts';
import * as graph from '../../src/graph.ts';
import * as root from '../../src/index.ts';
import * as model from '../../src/model/index.ts';
import * as records from '../../src/records.ts';
import * as store from '../../src/store.ts';
import * as testing from '../../src/testing/index.ts';
import { type Dice, diceOf } from './dice.ts';
import { anything, monster } from './hostile.ts';

export interface EntryPoint {
  readonly name: string;
  readonly call: (...args: readonly unknown[]) => unknown;
}

/** Entry points that open ports, start processes or take over the streams of this process. */
const NOT_CALLED: ReadonlySet<string> = new Set([
  'testing.modelServer',
  'mcp.serveStdio',
  'mcp.toMCP.connect',
  'testing.sweepCrashes',
]);

const MODULES: Readonly<Record<string, object>> = {
  ambit: root,
  graph,
  records,
  approvals,
  store,
  model,
  testing,
  cedar,
  mcp,
  'ai-sdk': aiSdk,
};

/** Functions of a value, and of the objects in it. Schemas and classes belong to their library. */
export function entryPointsOf(prefix: string, value: object, depth = 2): readonly EntryPoint[] {
  return Object.entries(value).flatMap(([key, member]: [string, unknown]): readonly EntryPoint[] => {
    const name = `${prefix}.${key}`;
    if (NOT_CALLED.has(name)) return [];
    if (typeof member === 'function') {
      if (/^class\b/.test(Function.prototype.toString.call(member))) return [];
      return [{ name, call: (...args) => member.apply(value, args) }];
    }
    if (typeof member !== 'object' || member === null || Array.isArray(member) || '_zod' in member || depth === 0)
      return [];
    return entryPointsOf(name, member, depth - 1);
  });
}

export const ENTRY_POINTS: readonly EntryPoint[] = Object.entries(MODULES).flatMap(([name, module]) =>
  entryPointsOf(name, module),
);

/** Junk for one argument: no JSON, JSON of any kind, or an object with some of the usual keys. */
function junk(dice: Dice): unknown {
  const kind = dice.roll(10);
  if (kind < 3) return monster(dice);
  if (kind < 6) return anything(dice, 2);
  if (kind === 6)
    return dice.pick([undefined, null, Number.NaN, 10n, Symbol('s'), new Date(Number.NaN), () => monster(dice)]);
  return Object.fromEntries(Array.from({ length: 1 + dice.roll(5) }, () => [dice.pick(KEYS), anything(dice, 1)]));
}

/** The option and field names that entry points read. */
const KEYS: readonly string[] = [
  'name',
  'model',
  'tools',
  'planner',
  'agent',
  'agents',
  'store',
  'world',
  'id',
  'at',
  'goal',
  'tenant',
  'message',
  'steps',
  'nodes',
  'edges',
  'plans',
  'execute',
  'inputSchema',
  'policies',
  'signal',
  'credential',
  'reason',
  'packetHash',
  'kind',
  'events',
  'run',
  'path',
  'transport',
  'url',
  'description',
  'credentials',
  'limit',
  'clock',
  'journal',
  'hash',
];

export const argumentsOf = (seed: number): readonly unknown[] => {
  const dice = diceOf(seed);
  return Array.from({ length: dice.roll(4) }, () => junk(dice));
};
