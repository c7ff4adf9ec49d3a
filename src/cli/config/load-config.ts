import { dirname, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Ambit, type AmbitConfig, ambit, Fault } from '../../index.ts';
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
    const { code, message, path } = error;
    throw new ConfigFault(code, message, { place: placeOfPath(file, path ?? ''), path, cause: error });
  }
}
