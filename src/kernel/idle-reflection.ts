import { canonicalize } from '../model/canonical.ts';
import type { Effect } from '../model/effect.ts';
import type { Json } from '../model/json.ts';
import type { KernelEnv } from './env.ts';
import type { RunState } from './state.ts';
import { violation } from './violation.ts';

/**
 * What a reflection could have changed: what is planned, what the step under way has brought, and what is known. Ids and
 * counters are no part of it, since they move whether or not anything was learned.
 */
export function reflectionMark(env: KernelEnv, { planning, current, work }: RunState): string {
  const steps = (planning.active?.plan.steps ?? []) as unknown as Json;
  const brought = current?.observed?.raw ?? null;
  return env.hash(canonicalize([steps, brought, Object.keys(work.evidenceByType)]));
}

/** The note that the last reflection was paid for and changed nothing; null where it did, or where there was none. */
export function idleReflection(env: KernelEnv, state: RunState): Effect | null {
  const { reflected } = state.counters;
  if (reflected === undefined || reflected.tokens === 0 || reflected.mark !== reflectionMark(env, state)) return null;
  return violation('reflection', 'reflect', `the last one took ${reflected.tokens} tokens and changed nothing`);
}
