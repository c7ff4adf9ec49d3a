import type { Ambit } from '../../index.ts';
import type { Call } from '../command.ts';
import { type LoadedConfig, loadConfig, openRuntime } from '../config/load-config.ts';

/** The config of the folder, and the runtime that it describes. */
export interface Opened extends LoadedConfig {
  readonly runtime: Ambit;
}

/** Opens the runtime of the config, works with it, and closes the store whatever happened. */
export async function withRuntime(call: Call, work: (opened: Opened) => Promise<number>): Promise<number> {
  const loaded = await loadConfig(call.configFile);
  const runtime = openRuntime(loaded);
  try {
    return await work({ ...loaded, runtime });
  } finally {
    await runtime.close();
  }
}

/** A word that the parser has seen to be there. */
export const word = ({ words }: Call, name: string): string => words[name] ?? '';
