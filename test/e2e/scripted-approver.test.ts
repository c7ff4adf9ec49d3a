/** The double for the person at the gate: it says what it was told to say, and complains about what it was not. */
import { ambit } from 'ambit';
import { type ApproverTurn, scriptedApprover } from 'ambit/testing';
import { expect, test } from 'vitest';
import { supportAgent } from '../../examples/01-refund/src/agent.ts';
import { refundRequest } from '../../examples/01-refund/src/request.ts';
import { openShop } from '../../examples/01-refund/src/shop.ts';

const YES: ApproverTurn = { decision: 'approve', approver: 'user_finance_lead', reason: 'within policy' };
const NO: ApproverTurn = { ...YES, decision: 'reject', reason: 'not covered' };

const start = () => ambit({ agent: supportAgent(openShop().tools) });

test('decides as scripted, and every turn is used', async () => {
  for (const [turn, terminalCode] of [
    [YES, 'SUCCESS'],
    [NO, 'PERMISSION_DENIED'],
  ] as const) {
    const runtime = start();
    const person = scriptedApprover([turn]);
    const done = await person.attend(runtime, await runtime.invoke(refundRequest));
    expect(done.terminalCode).toBe(terminalCode);
    expect(person.assertDrained).not.toThrow();
  }
});

test('a gate nobody scripted and a turn nobody used both fail', async () => {
  const runtime = start();
  const waiting = await runtime.invoke(refundRequest);
  await expect(scriptedApprover([]).attend(runtime, waiting)).rejects.toMatchObject({ code: 'script_unexpected_call' });
  const idle = scriptedApprover([YES]);
  expect(idle.assertDrained).toThrow('never used');
});
