/** Tests that no call is sent after the identity it was permitted for has expired. */
import { expect, test } from 'vitest';
import { planOf, REQUEST, rig, START_MS } from '../rig.ts';

test('does not send a call that is deferred past the expiry of the identity', async () => {
  const bench = rig({
    tools: {
      look: { limits: { rate: { calls: 1, per_ms: 20_000 } } },
      end: { produces: ['done'] },
    },
    plans: [
      planOf([
        { id: 'a', tool: 'look', params: { n: 1 } },
        { id: 'b', tool: 'look', params: { n: 2 }, depends_on: ['a'] },
        { id: 'c', tool: 'end', depends_on: ['b'] },
      ]),
    ],
  });
  const identity = { ...(REQUEST['identity'] as object), expires_at: START_MS + 10_000 };
  const run = await bench.invoke({ identity });
  expect(run.terminalCode).not.toBe('SUCCESS');
  expect(bench.dispatches.filter(({ tool }) => tool === 'look')).toHaveLength(1);
  expect(bench.dispatches.every(({ at }) => at < START_MS + 10_000)).toBe(true);
});
