import { dirname, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AgentsRuntimeOptions, type Ambit, type AmbitConfig, ambit, Fault } from '../../index.ts';
import { CliFault } from '../cli-fault.ts';
import { checkConfig } from './check-config.ts';
import { explainLoadError } from './explain-load-error.ts';
import { findConfig } from './find-config.ts';
import { locatePath } from './locate-path.ts';

/** A loaded config. Relative paths in it are relative to its folder, not to the working directory. */
export interface LoadedConfig {
  readonly file: string;
  readonly folder: string;
  readonly config: AmbitConfig;
}

export async function loadConfig(configFile: string | null, from: string = process.cwd()): Promise<LoadedConfig> {
  const file = findConfig(from, configFile);
  const folder = dirname(file);
  const exported = await importDefault(file);
  const config = checkConfig(file, exported);
  return { file, folder, config: { ...config, ...resolveStore(folder, config.store) } };
}

async function importDefault(file: string): Promise<unknown> {
  try {
    const module: { readonly default?: unknown } = await import(pathToFileURL(file).href);
    return await module.default;
  } catch (error) {
    throw explainLoadError(error, file);
  }
}

const SQLITE = 'sqlite:';

function resolveStore(folder: string, store: AmbitConfig['store']): Pick<AmbitConfig, 'store'> {
  if (store === undefined || !store.startsWith(SQLITE)) return {};
  const path = store.slice(SQLITE.length);
  return { store: isAbsolute(path) ? store : `sqlite:${join(folder, path)}` };
}

/** Opens the runtime of a config. A fault about an agent carries its location in the config. */
export function openRuntime({ file, config }: LoadedConfig): Ambit {
  const { identity, operator, ...options } = config;
  try {
    return ambit(options);
  } catch (error) {
    if (!Fault.is(error)) throw error;
    const path = toConfigPath(error.path ?? '', findFailingAgent(options));
    throw new CliFault(error.code, error.message, { place: locatePath(file, path), path, cause: error });
  }
}

/** Returns the index of the agent that cannot be opened alone; -1 if each can. */
function findFailingAgent({ agents, ...options }: AgentsRuntimeOptions): number {
  return agents.findIndex((agent) => {
    try {
      void ambit({ ...options, store: 'memory', agents: [agent] }).close();
      return false;
    } catch {
      return true;
    }
  });
}

/** Fields that all agents share. Any other path points into one agent. */
const SHARED_FIELDS: readonly string[] = ['agents', 'store', 'world', 'limits', 'graph'];

/** Turns a path into the options of one agent, such as `/agent/budget`, into a path of the config: `/agents/0/budget`. */
function toConfigPath(path: string, at: number): string {
  const [, first = '', ...rest] = path.split('/');
  if (at < 0 || SHARED_FIELDS.includes(first)) return path;
  const inAgent = first === 'agent' ? rest : [first, ...rest];
  // templatePlanner(templates) receives the plans directly, without the field `written`.
  const [part, next, ...deeper] = inAgent;
  const tokens = part === 'planner' && next === 'written' ? [part, ...deeper] : inAgent;
  return ['', 'agents', at, ...tokens.filter((token) => token !== '')].join('/');
}
