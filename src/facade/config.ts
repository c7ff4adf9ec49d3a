import type { Identity } from '../model/identity.ts';
import type { AgentsRuntimeOptions } from './options.ts';

/** What `ambit.config.ts` exports: the runtime of a folder, and what its command line takes for granted. */
export interface AmbitConfig extends AgentsRuntimeOptions {
  /** For whom `ambit run` acts where nothing else is said. Without `expires_at` it is good for one hour each time. */
  readonly identity?: Omit<Identity, 'expires_at'> & Partial<Pick<Identity, 'expires_at'>>;
  /** Who decides at this terminal, where the process is believed and nobody else is named. */
  readonly operator?: { readonly name: string; readonly roles?: readonly string[] };
}

/** Says what a config is, so that the compiler and the editor know. */
export function defineConfig(config: AmbitConfig): AmbitConfig {
  return config;
}
