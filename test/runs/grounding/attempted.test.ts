/** What is sent out is on record before anything can come back. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import { address } from '../../../src/model/hash.ts';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig, silent } from '../rig.ts';
import { all, first } from './eyes.ts';

verifies('grounding:attempted:dispatch-metadata', 'a call that is never answered has its attempt', async () => {
  const seen: string[] = [];
  const bench = rig({
    tools: {
      finish: {
        timeout_ms: 4_000,
        retries_max: 0,
        execute: async (args, context) => {
          seen.push(...(await bench.events('run_1')).map(({ type }) => type));
          return await silent(args, context);
        },
      },
    },
    plans: [planOf([{ id: 'a', tool: 'finish', params: { n: 1 } }])],
    options: { limits: { onEscalate: 'end' } },
  });
  const { runId } = await bench.invoke();
  expect(seen.at(-1)).toBe('step_attempted');
  const events = await bench.events(runId);
  const attempt = first(events, 'step_attempted');
  expect(attempt).toMatchObject({
    call_id: 'call_1',
    tool: 'finish',
    args_hash: address(sha256, { n: 1 }),
    timeout_ms: 4_000,
  });
  expect(all(events, 'step_observed')).toMatchObject([{ call_id: 'call_1', outcome: 'timeout', raw: null }]);
});
