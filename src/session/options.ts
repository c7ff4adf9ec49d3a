import { Fault } from '../model/fault.ts';
import { pointerToken } from '../model/pointer.ts';
import { printable } from '../model/printable.ts';

const OPTIONS: readonly string[] = ['agent', 'tools', 'planner', 'decisions', 'graph', 'store', 'limits', 'world'];
const WORLD: readonly string[] = [
  'clock',
  'timer',
  'ids',
  'reviewer',
  'policy',
  'context',
  'journal',
  'plannerTimeouts',
];

/**
 * What an agent is put together from, before any of it is used: nothing that is needed is left out, and nothing is
 * given that nobody would read. A misspelt option is a bound that somebody believes to be there.
 */
export function assertOptions(options: unknown): void {
  if (!isRecord(options)) {
    throw new Fault('input_missing', 'an agent is put together as ambit({ agent, tools, planner })');
  }
  assertKnown(options, OPTIONS, '');
  if (options['world'] !== undefined) assertWorld(options['world']);
  if (options['agent'] === undefined) {
    throw new Fault('input_missing', 'a run cannot start without an agent', { path: '/agent' });
  }
  assertTools(options['tools']);
  if (!isRecord(options['planner']) || typeof options['planner']['propose'] !== 'function') {
    throw new Fault('input_missing', 'a run cannot start without a planner that has propose()', { path: '/planner' });
  }
}

function assertWorld(world: unknown): void {
  if (!isRecord(world)) throw new Fault('input_invalid', 'world is an object', { path: '/world' });
  assertKnown(world, WORLD, '/world');
}

function assertTools(tools: unknown): void {
  if (!Array.isArray(tools)) {
    throw new Fault('input_missing', 'a run cannot start without a tool registry', { path: '/tools' });
  }
  for (const [place, tool] of tools.entries()) {
    if (!isRecord(tool) || !isRecord(tool['spec'])) {
      throw new Fault('input_invalid', `tool ${place} is not { spec, execute }`, { path: `/tools/${place}` });
    }
    if (typeof tool['execute'] === 'function') continue;
    const name = printable(JSON.stringify(tool['spec']['name']) ?? String(place));
    throw new Fault('input_invalid', `tool ${name} has no execute()`, { path: `/tools/${place}/execute` });
  }
}

function assertKnown(given: Readonly<Record<string, unknown>>, known: readonly string[], path: string): void {
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  const [first] = unknown;
  if (first === undefined) return;
  const names = unknown.map((key) => JSON.stringify(key)).join(', ');
  const message = `there is no option ${printable(names)}; there are ${known.join(', ')}`;
  throw new Fault('input_invalid', message, { path: path + pointerToken(first) });
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
