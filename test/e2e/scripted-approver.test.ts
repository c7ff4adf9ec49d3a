/** The scripted approver: it decides gates as scripted and fails on a gate or a turn that does not match the script. */
import { ambit } from 'ambit';
import { type ApproverTurn, scriptedApprover } from 'ambit/testing';
import { expect, test } from 'vitest';
import { supportAgent } from '../../examples/01-refund/src/agent.ts';
import { refundRequest } from '../../examples/01-refund/src/request.ts';
import { openShop } from '../../examples/01-refund/src/shop.ts';

const YES: ApproverTurn = { decision: 'approve', approver: 'user_finance_lead', reason: 'within policy' };
const NO: ApproverTurn = { ...YES, decision: 'reject', reason: 'not covered' };

const start = () => ambit({ agent: supportAgent(openShop().tools) });

test('decides as scripted and uses every turn', async () => {
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

test('fails on a gate without a scripted turn, and on an unused turn', async () => {
  const runtime = start();
  const waiting = await runtime.invoke(refundRequest);
  await expect(scriptedApprover([]).attend(runtime, waiting)).rejects.toMatchObject({ code: 'script_unexpected_call' });
  const idle = scriptedApprover([YES]);
  expect(idle.assertDrained).toThrow('never used');
});
