import { type AmbitConfig, Fault } from '../../index.ts';
import { parseStore } from '../../model/index.ts';
import { ConfigFault } from './config-fault.ts';
import { placeOfPath } from './locate.ts';

const KEYS = [
  'agents',
  'store',
  'world',
  'limits',
  'graph',
  'identity',
  'operator',
] as const satisfies readonly (keyof AmbitConfig)[];

interface Wrong {
  readonly path: string;
  readonly message: string;
  readonly fix: string;
}

/** Holds what a config exports against what a config is; the first thing that is wrong is said with its place. */
export function checkConfig(file: string, exported: unknown): AmbitConfig {
  const wrong = problemWith(exported);
  if (wrong === null) return exported as AmbitConfig;
  const { path, message, fix } = wrong;
  throw new ConfigFault('input_invalid', message, { place: placeOfPath(file, path), path, fix });
}

function problemWith(exported: unknown): Wrong | null {
  if (!isRecord(exported)) {
    return {
      path: '',
      message: 'the config exports no object by default',
      fix: 'export default defineConfig({ agents: […] })',
    };
  }
  const strange = Object.keys(exported).find((key) => !KEYS.some((known) => known === key));
  if (strange !== undefined) return unknownKey(strange);
  return problemWithAgents(exported['agents']) ?? problemWithStore(exported['store']);
}

function unknownKey(key: string): Wrong {
  const near = KEYS.find((known) => known.startsWith(key.slice(0, 3)) || key.startsWith(known.slice(0, 3)));
  const message = `there is no field ${JSON.stringify(key)}; there are ${KEYS.join(', ')}`;
  return { path: `/${key}`, message, fix: near === undefined ? 'leave it out' : `did you mean ${near}?` };
}

function problemWithAgents(agents: unknown): Wrong | null {
  const fix = 'agents: [agent({ name, planner, tools, intents, boundary })]';
  if (!Array.isArray(agents) || agents.length === 0)
    return { path: '/agents', message: 'agents is a list of at least one agent', fix };
  const at = agents.findIndex(
    (agent) => !isRecord(agent) || !isRecord(agent['spec']) || !Array.isArray(agent['tools']),
  );
  if (at < 0) return null;
  const message = `agents[${at}] is not what agent(…) makes`;
  return { path: `/agents/${at}`, message, fix: 'wrap it: agent({ name, planner, tools, intents, boundary })' };
}

function problemWithStore(store: unknown): Wrong | null {
  const wrong = { path: '/store', fix: "store: 'sqlite:ambit.db'" };
  if (store === undefined) return null;
  if (typeof store !== 'string')
    return { ...wrong, message: `store is ${JSON.stringify(store)}, and should be a text` };
  try {
    parseStore(store);
    return null;
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return { ...wrong, message: error.message };
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
