/** Tests that -0 is sent as 0, because JSON, and so the hash and the record, has one zero. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { planOf, rig } from '../rig.ts';

test('sends -0 as 0, whether it comes from a plan, a default or another tool', async () => {
  const bench = rig({
    tools: {
      look: { execute: () => ({ n: -0 }) },
      act: {
        produces: ['done'],
        input_schema: { type: 'object', properties: { by_default: { type: 'number', default: -0 } } },
      },
    },
    plans: [
      planOf([
        { id: 'a', tool: 'look' },
        {
          id: 'b',
          tool: 'act',
          depends_on: ['a'],
          params: { planned: -0, deep: [{ n: -0 }], found: { $from: 'a', path: '/n' } },
        },
      ]),
    ],
  });
  const outcome = await bench.invoke();
  expect(outcome.terminalCode).toBe('SUCCESS');
  const sent: JsonObject | undefined = bench.dispatches.find(({ tool }) => tool === 'act')?.args;
  // Unlike toEqual, toStrictEqual distinguishes 0 and -0.
  expect(sent).toStrictEqual({ planned: 0, deep: [{ n: 0 }], found: 0, by_default: 0 });
  expect((await bench.runtime.records.replay(outcome.runId)).turns).not.toEqual([]);
});
