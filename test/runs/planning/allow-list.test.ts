/** Tests the allow list of argument values, for planned values and for values bound at run time. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';

const TRANSFER = { argument_allow: { currency: ['EUR', 'CHF'] }, produces: ['done'] };

verifies('verify:args:allow-list', 'rejects a plan with a forbidden value before any call', async () => {
  const bench = rig({
    tools: { transfer: TRANSFER },
    plans: ['USD', 'EUR'].map((currency) => planOf([{ id: 'a', tool: 'transfer', params: { currency } }])),
  });
  const { runId, terminalCode } = await bench.invoke();
  const [refused] = (await bench.events(runId)).flatMap((event) => (event.type === 'plan_verified' ? [event] : []));
  expect(refused?.problems).toMatchObject([{ code: 'argument_not_allowed', path: '/steps/0/params/currency' }]);
  expect(terminalCode).toBe('SUCCESS');
  expect(bench.dispatches.map(({ args }) => args)).toEqual([{ currency: 'EUR' }]);
});

verifies('verify:args:allow-list', 'applies the same list to a value that is bound at run time', async () => {
  const bench = rig({
    tools: {
      look: {
        execute: () => ({ currency: 'USD' }),
        output_schema: { type: 'object', properties: { currency: { type: 'string' } }, required: ['currency'] },
      },
      transfer: TRANSFER,
    },
    plans: [
      planOf([
        { id: 'a', tool: 'look' },
        { id: 'b', tool: 'transfer', params: { currency: { $from: 'a', path: '/currency' } }, depends_on: ['a'] },
      ]),
    ],
  });
  const outcome = await bench.invoke();
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look']);
  expect(outcome).toMatchObject({
    status: 'failed',
    terminalCode: 'PERMISSION_DENIED',
    reason: 'argument_not_allowed',
  });
});
