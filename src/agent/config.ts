import type { Identity } from '../model/run/identity.ts';
import type { AgentsRuntimeOptions } from './options.ts';

/** The default export of `ambit.config.ts`: the runtime of a folder and the defaults of its command line. */
export interface AmbitConfig extends AgentsRuntimeOptions {
  /** The default identity of `ambit run`. Without `expires_at` it is valid for one hour per command. */
  readonly identity?: Omit<Identity, 'expires_at'> & Partial<Pick<Identity, 'expires_at'>>;
  /** The default person who decides at this terminal, if the runtime trusts the process. */
  readonly operator?: { readonly name: string; readonly roles?: readonly string[] };
}

/** Returns the config unchanged; gives the compiler and the editor its type. */
export function defineConfig(config: AmbitConfig): AmbitConfig {
  return config;
}
