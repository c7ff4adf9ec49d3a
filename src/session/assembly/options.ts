import { Fault } from '../../model/fault.ts';
import { pointerToken } from '../../model/pointer.ts';
import { printable } from '../../model/printable.ts';
import { partFaults } from './given-parts.ts';
import { portFaults } from './given-ports.ts';
import { type Given, isRecord } from './given-values.ts';
import { refuseTogether } from './refuse-together.ts';
import { tooOld } from './this-engine.ts';

const OPTIONS: readonly string[] = ['agent', 'tools', 'planner', 'decisions', 'graph', 'store', 'limits', 'world'];
const WORLD: readonly string[] = [
  'clock',
  'timer',
  'ids',
  'reviewer',
  'classifier',
  'judges',
  'drafter',
  'models',
  'infrastructure',
  'files',
  'services',
  'policy',
  'context',
  'memory',
  'journal',
  'plannerTimeouts',
  'vault',
  'metrics',
];

const POLICY: readonly string[] = ['goals', 'plans', 'calls', 'candidate', 'quota', 'detectors', 'gates', 'approvers'];

/**
 * What an agent is put together from, before any of it is used: nothing that is needed is left out, and nothing is
 * given that nobody would read. A misspelt option is a bound that somebody believes to be there.
 */
export function assertOptions(options: unknown): void {
  if (!isRecord(options)) {
    throw new Fault('input_missing', 'an agent is put together as ambit({ agent, tools, planner })');
  }
  refuseTogether([
    ...tooOld(),
    ...unknownKeys(options, OPTIONS, ''),
    ...ofWorld(options['world']),
    ...portFaults(options),
    ...ofAgent(options['agent']),
    ...ofTools(options['tools']),
    ...ofPlanner(options['planner']),
    ...ofDecisions(options['decisions']),
  ]);
}

function ofWorld(world: unknown): readonly Fault[] {
  if (world === undefined) return [];
  if (!isRecord(world)) return [new Fault('input_invalid', 'world is an object', { path: '/world' })];
  return [...unknownKeys(world, WORLD, '/world'), ...ofPolicy(world['policy']), ...partFaults(world)];
}

function ofPolicy(policy: unknown): readonly Fault[] {
  if (policy === undefined) return [];
  if (!isRecord(policy)) return [new Fault('input_invalid', 'world.policy is an object', { path: '/world/policy' })];
  return unknownKeys(policy, POLICY, '/world/policy');
}

function ofAgent(agent: unknown): readonly Fault[] {
  if (agent !== undefined) return [];
  const message = 'a run cannot start without an agent: give agent, as parseAgent makes it';
  return [new Fault('input_missing', message, { path: '/agent' })];
}

function ofTools(tools: unknown): readonly Fault[] {
  if (Array.isArray(tools)) return tools.flatMap(ofTool);
  const message = 'a run cannot start without a tool registry: give tools, a list of { spec, execute }';
  return [new Fault('input_missing', message, { path: '/tools' })];
}

function ofTool(tool: unknown, place: number): readonly Fault[] {
  if (!isRecord(tool) || !isRecord(tool['spec'])) {
    return [new Fault('input_invalid', `tool ${place} is not { spec, execute }`, { path: `/tools/${place}` })];
  }
  if (typeof tool['execute'] === 'function') return [];
  const name = printable(JSON.stringify(tool['spec']['name']) ?? String(place));
  const message = `tool ${name} has no execute(): give the function that does it`;
  return [new Fault('input_invalid', message, { path: `/tools/${place}/execute` })];
}

function ofPlanner(planner: unknown): readonly Fault[] {
  if (isRecord(planner) && typeof planner['propose'] === 'function') return [];
  const message =
    'a run cannot start without a planner that has propose(): give one, such as templatePlanner(templates)';
  return [new Fault('input_missing', message, { path: '/planner' })];
}

function ofDecisions(decisions: unknown): readonly Fault[] {
  if (decisions === undefined || Array.isArray(decisions)) return [];
  return [new Fault('input_invalid', 'decisions is a list; leave it out if there are none', { path: '/decisions' })];
}

function unknownKeys(given: Given, known: readonly string[], path: string): readonly Fault[] {
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  const [first] = unknown;
  if (first === undefined) return [];
  const names = unknown.map((key) => JSON.stringify(key)).join(', ');
  const message = `there is no option ${printable(names)}; there are ${known.join(', ')}`;
  return [new Fault('input_invalid', message, { path: path + pointerToken(first) })];
}
