/** Proves that a call that is over leaves nothing behind: nobody is told, nobody listens, nothing is kept. */
import { expect, test } from 'vitest';
import { DISPATCH, streetTo } from '../../test/runs/gateway/street.ts';
import { NO_COST, type ToolResult } from '../model/tool.ts';
import { Recall } from '../ports/recall.ts';
import type { CallLimits, Tools } from '../ports/tools.ts';
import { type Answer, callTool } from './call-tool.ts';

const RESULT: ToolResult = { call_id: 'call_1', outcome: 'ok', raw: { found: 1 }, spent: NO_COST };

test('a tool hears that its call is over, also where the timer breaks that was to end it', async () => {
  const given: CallLimits[] = [];
  const timer = { until: () => Promise.reject(new Error('no clock')) };
  const mute: Tools['call'] = (_call, limits) => {
    given.push(limits);
    return new Promise(() => undefined);
  };
  await expect(callTool(streetTo({ call: mute }, { timer }), DISPATCH, new Recall(), () => undefined)).rejects.toThrow(
    'no clock',
  );
  expect(given.map(({ signal }) => signal.aborted)).toEqual([true]);
});

test('whoever may call it back is listened to while it is out, and no longer', async () => {
  const listening = new Set<() => void>();
  class Watched extends Recall {
    override heed(hear: () => void): void {
      listening.add(hear);
      super.heed(hear);
    }
    override ignore(hear: () => void): void {
      listening.delete(hear);
      super.ignore(hear);
    }
  }
  let during = 0;
  const street = streetTo({
    call: async () => {
      during = listening.size;
      return RESULT;
    },
  });
  await callTool(street, DISPATCH, new Watched(), () => undefined);
  expect([during, listening.size]).toEqual([1, 0]);
});

test('what a tool throws after it was called back is no late answer; what it answers is one', async () => {
  const late: Answer[] = [];
  const outcomes = [Promise.withResolvers<ToolResult>(), Promise.withResolvers<ToolResult>()] as const;
  for (const { promise } of outcomes) {
    const recall = new Recall();
    const answered = callTool(streetTo({ call: () => promise }), DISPATCH, recall, (answer) => void late.push(answer));
    recall.raise();
    expect((await answered).event).toMatchObject({ outcome: 'cancelled' });
  }
  outcomes[0].reject(new Error('stopped'));
  outcomes[1].resolve(RESULT);
  await expect.poll(() => late.map(({ event }) => event)).toMatchObject([{ type: 'answer_came_late', outcome: 'ok' }]);
});
