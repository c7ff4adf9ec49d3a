import { type AmbitConfig, Fault } from '../../index.ts';
import { parseStore } from '../../model/index.ts';
import { CliFault } from '../cli-fault.ts';
import { locatePath } from './locate-path.ts';

const KEYS = [
  'agents',
  'store',
  'world',
  'limits',
  'graph',
  'identity',
  'operator',
] as const satisfies readonly (keyof AmbitConfig)[];

interface Problem {
  readonly path: string;
  readonly message: string;
  readonly fix: string;
}

/** Checks the default export of a config. Throws a fault with the location of the first problem. */
export function checkConfig(file: string, exported: unknown): AmbitConfig {
  const problem = findProblem(exported);
  if (problem === null) return exported as AmbitConfig;
  const { path, message, fix } = problem;
  throw new CliFault('input_invalid', message, { place: locatePath(file, path), path, fix });
}

function findProblem(exported: unknown): Problem | null {
  if (!isRecord(exported)) {
    return {
      path: '',
      message: 'the config has no default export that is an object',
      fix: 'export default defineConfig({ agents: […] })',
    };
  }
  const unknown = Object.keys(exported).find((key) => !KEYS.some((known) => known === key));
  if (unknown !== undefined) return explainUnknownKey(unknown);
  return findAgentsProblem(exported['agents']) ?? findStoreProblem(exported['store']);
}

function explainUnknownKey(key: string): Problem {
  const near = KEYS.find((known) => known.startsWith(key.slice(0, 3)) || key.startsWith(known.slice(0, 3)));
  const message = `unknown field ${JSON.stringify(key)}; the fields are ${KEYS.join(', ')}`;
  return { path: `/${key}`, message, fix: near === undefined ? 'remove it' : `did you mean ${near}?` };
}

function findAgentsProblem(agents: unknown): Problem | null {
  const fix = 'agents: [agent({ name, planner, tools, intents, boundary })]';
  if (!Array.isArray(agents) || agents.length === 0)
    return { path: '/agents', message: 'agents must be a list of at least one agent', fix };
  const at = agents.findIndex(
    (agent) => !isRecord(agent) || !isRecord(agent['spec']) || !Array.isArray(agent['tools']),
  );
  if (at < 0) return null;
  const message = `agents[${at}] was not created with agent(…)`;
  return { path: `/agents/${at}`, message, fix: 'wrap it: agent({ name, planner, tools, intents, boundary })' };
}

function findStoreProblem(store: unknown): Problem | null {
  const problem = { path: '/store', fix: "store: 'sqlite:ambit.db'" };
  if (store === undefined) return null;
  if (typeof store !== 'string') return { ...problem, message: `store must be a string, not ${JSON.stringify(store)}` };
  try {
    parseStore(store);
    return null;
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return { ...problem, message: error.message };
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
