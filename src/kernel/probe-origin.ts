import { type CallOrigin, CLEAN, isUntrusted } from '../model/origin.ts';
import type { KernelEnv } from './env.ts';
import { specOfCall } from './real-tools.ts';
import type { RunState } from './state.ts';

/**
 * Where the question that a probe is asked comes from. Host code makes it of the call, and for `probe_step` of its
 * result; which part went where nobody can tell, so one untrusted part makes all of it untrusted.
 */
export function probeOrigin(env: KernelEnv, { current }: RunState, kind: 'probe_step' | 'reconcile_call'): CallOrigin {
  if (current === null) return CLEAN;
  const { origin, tool } = current;
  const told = kind === 'probe_step' && !specOfCall(env, current).trusted;
  const [source = tool] = Object.values(origin.untrusted);
  const untrusted = told || isUntrusted(origin) ? { '': source } : CLEAN.untrusted;
  return { tainted: origin.tainted, untrusted, grant: null };
}
