import { ANYBODY_ELSE, type Deciders, type GatePolicy } from '../model/gate.ts';
import type { KernelEnv } from './env.ts';

/** What holds for gates of a name, the host's word before the usual one. */
export function gatePolicy({ gates, limits }: KernelEnv, name: string): GatePolicy {
  return { ...ANYBODY_ELSE, ttlMs: limits.gateTtlMs, ...gates.get(name) };
}

export function decidersOf(env: KernelEnv, name: string): Deciders {
  const { roles, quorum, separation } = gatePolicy(env, name);
  return { roles, quorum, separation };
}
