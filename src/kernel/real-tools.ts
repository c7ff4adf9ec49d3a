import { realCalls } from '../model/inner-call.ts';
import type { KernelEnv } from './env.ts';
import type { CurrentStep } from './state.ts';

/** The tools behind the call at hand, the outermost first: a dispatcher's decisions and those of what it calls count both. */
export function realTools({ tools }: KernelEnv, { tool, args }: Pick<CurrentStep, 'tool' | 'args'>): readonly string[] {
  return realCalls({ tool, args }, (name) => tools.get(name))?.map((call) => call.tool) ?? [tool];
}
