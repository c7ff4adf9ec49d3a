import type { ModelProfile } from '../../ports/language-model.ts';
import { RETRY_POLICY, waitMs } from './retry.ts';

/**
 * The longest that one question may take by its profile: every attempt of every model, and the waits in between. A
 * provider that asks for longer waits is asked less often in that time.
 */
export function longestQuestionMs({ timeoutMs, fallbacks, retry = RETRY_POLICY }: ModelProfile): number {
  let perModel = timeoutMs;
  for (let made = 1; made < retry.attempts; made += 1) perModel += waitMs(retry, made, 0, 1) + timeoutMs;
  return perModel * (1 + fallbacks.length);
}
