import type { Ambit } from '../../index.ts';
import type { Call } from '../command.ts';
import { type LoadedConfig, loadConfig, openRuntime } from '../config/load-config.ts';

/** A config and its open runtime. */
export interface OpenedConfig extends LoadedConfig {
  readonly runtime: Ambit;
}

/** Opens the runtime of the config for `work` and always closes it. */
export async function withRuntime(call: Call, work: (opened: OpenedConfig) => Promise<number>): Promise<number> {
  const loaded = await loadConfig(call.configFile);
  const runtime = openRuntime(loaded);
  try {
    return await work({ ...loaded, runtime });
  } finally {
    await runtime.close();
  }
}
