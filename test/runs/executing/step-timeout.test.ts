/** Tests that the tool determines the timeout of a step. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { type Behaviour, CAPS, planOf, rig, START_MS } from '../rig.ts';

verifies('execute:timeout:per-step-by-adapter', 'aborts each hanging tool at its own timeout', async () => {
  const aborted: [string, number][] = [];
  const hang =
    (name: string): Behaviour =>
    (_args, { signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => aborted.push([name, bench.clock.nowMs()]));
      });
  const bench = rig({
    tools: {
      quick: { timeout_ms: 1_000, retries_max: 0, execute: hang('quick') },
      slow: { timeout_ms: 10_000, retries_max: 0, execute: hang('slow') },
    },
    plans: [planOf([{ id: 'a', tool: 'quick' }]), planOf([{ id: 'b', tool: 'slow' }])],
    caps: { ...CAPS, replan_attempts_max: 1 },
  });
  const { runId, status } = await bench.invoke();
  expect(aborted).toEqual([
    ['quick', START_MS + 1_000],
    ['slow', START_MS + 11_000],
  ]);
  expect(status).toBe('paused');
  const verified = (await bench.events(runId)).flatMap((event) => (event.type === 'step_verified' ? [event] : []));
  expect(verified.map(({ problems }) => problems[0]?.code)).toEqual(['step_timeout', 'step_timeout']);
});
