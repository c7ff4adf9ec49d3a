/** A dispatch is recorded before its answer can arrive. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { address } from '../../../src/model/json/hash.ts';
import { verifies } from '../../requirements/verifies.ts';
import { neverAnswers, planOf, rig } from '../rig.ts';
import { eventsOfType, firstEvent } from './recorded-events.ts';

verifies('grounding:attempted:dispatch-metadata', 'records the attempt of a call that is never answered', async () => {
  const seen: string[] = [];
  const bench = rig({
    tools: {
      finish: {
        timeout_ms: 4_000,
        retries_max: 0,
        execute: async (args, context) => {
          seen.push(...(await bench.events('run_1')).map(({ type }) => type));
          return await neverAnswers(args, context);
        },
      },
    },
    plans: [planOf([{ id: 'a', tool: 'finish', params: { n: 1 } }])],
    options: { limits: { onEscalate: 'end' } },
  });
  const { runId } = await bench.invoke();
  expect(seen.at(-1)).toBe('step_attempted');
  const events = await bench.events(runId);
  const attempt = firstEvent(events, 'step_attempted');
  expect(attempt).toMatchObject({
    call_id: 'call_1',
    tool: 'finish',
    args_hash: address(sha256, { n: 1 }),
    timeout_ms: 4_000,
  });
  expect(eventsOfType(events, 'step_observed')).toMatchObject([{ call_id: 'call_1', outcome: 'timeout', raw: null }]);
});
