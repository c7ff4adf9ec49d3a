import { dirname, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AgentsRuntimeOptions, type Ambit, type AmbitConfig, ambit, Fault } from '../../index.ts';
import { checkConfig } from './check-config.ts';
import { ConfigFault } from './config-fault.ts';
import { findConfig } from './find-config.ts';
import { placeOfPath } from './locate.ts';
import { thrownWhileLoading } from './thrown-while-loading.ts';

/** A config, and where it lies: paths in it are meant from there, wherever somebody stands. */
export interface LoadedConfig {
  readonly file: string;
  readonly folder: string;
  readonly config: AmbitConfig;
}

export async function loadConfig(named: string | null, from: string = process.cwd()): Promise<LoadedConfig> {
  const file = findConfig(from, named);
  const folder = dirname(file);
  const exported = await exportOf(file);
  const config = checkConfig(file, exported);
  return { file, folder, config: { ...config, ...storeIn(folder, config.store) } };
}

async function exportOf(file: string): Promise<unknown> {
  try {
    const module: { readonly default?: unknown } = await import(pathToFileURL(file).href);
    return await module.default;
  } catch (error) {
    throw thrownWhileLoading(error, file);
  }
}

const SQLITE = 'sqlite:';

function storeIn(folder: string, store: AmbitConfig['store']): Pick<AmbitConfig, 'store'> {
  if (store === undefined || !store.startsWith(SQLITE)) return {};
  const path = store.slice(SQLITE.length);
  return { store: isAbsolute(path) ? store : `sqlite:${join(folder, path)}` };
}

/** Puts the agents of a config together. What does not fit is said with the place in the config. */
export function openRuntime({ file, config }: LoadedConfig): Ambit {
  const { identity, operator, ...options } = config;
  try {
    return ambit(options);
  } catch (error) {
    if (!Fault.is(error)) throw error;
    const path = pathInConfig(error.path ?? '', failingAgent(options));
    throw new ConfigFault(error.code, error.message, { place: placeOfPath(file, path), path, cause: error });
  }
}

/** Which agent is the one that cannot be put together; -1 where each of them can be by itself. */
function failingAgent({ agents, ...options }: AgentsRuntimeOptions): number {
  return agents.findIndex((agent) => {
    try {
      void ambit({ ...options, store: 'memory', agents: [agent] }).close();
      return false;
    } catch {
      return true;
    }
  });
}

/** What every agent of a config has in common; the rest of a path leads into one of them. */
const SHARED: readonly string[] = ['agents', 'store', 'world', 'limits', 'graph'];

/** A fault speaks of the options of one agent, and a config lists several. */
function pathInConfig(path: string, at: number): string {
  const [, first = '', ...rest] = path.split('/');
  if (at < 0 || SHARED.includes(first)) return path;
  const inAgent = first === 'agent' ? rest : [first, ...rest];
  // A planner of templates is made of the plans themselves.
  const [part, next, ...deeper] = inAgent;
  const tokens = part === 'planner' && next === 'written' ? [part, ...deeper] : inAgent;
  return ['', 'agents', at, ...tokens.filter((token) => token !== '')].join('/');
}
