/** A call that has ended leaves no listener, timer or late effect. */
import { expect, test } from 'vitest';
import { DISPATCH, gatewayDeps } from '../../../test/runs/gateway/gateway-deps.ts';
import { NO_COST, type ToolResult } from '../../model/tool/tool.ts';
import type { CallLimits, Tools } from '../../ports/bound-tool.ts';
import { Cancellation } from '../../ports/cancellation.ts';
import { callTool } from './call-tool.ts';
import type { ToolAnswer } from './tool-answer.ts';

const RESULT: ToolResult = { call_id: 'call_1', outcome: 'ok', raw: { found: 1 }, spent: NO_COST };

test("aborts the tool's signal even if the timeout timer fails", async () => {
  const received: CallLimits[] = [];
  const timer = { until: () => Promise.reject(new Error('no clock')) };
  const mute: Tools['call'] = (_call, limits) => {
    received.push(limits);
    return new Promise(() => undefined);
  };
  await expect(
    callTool(gatewayDeps({ call: mute }, { timer }), DISPATCH, new Cancellation(), () => undefined),
  ).rejects.toThrow('no clock');
  expect(received.map(({ signal }) => signal.aborted)).toEqual([true]);
});

test('listens for a recall only while the call is in flight', async () => {
  const listening = new Set<() => void>();
  class Watched extends Cancellation {
    override addListener(hear: () => void): void {
      listening.add(hear);
      super.addListener(hear);
    }
    override removeListener(hear: () => void): void {
      listening.delete(hear);
      super.removeListener(hear);
    }
  }
  let during = 0;
  const deps = gatewayDeps({
    call: async () => {
      during = listening.size;
      return RESULT;
    },
  });
  await callTool(deps, DISPATCH, new Watched(), () => undefined);
  expect([during, listening.size]).toEqual([1, 0]);
});

test('records a late answer after a recall, but not a late error', async () => {
  const late: ToolAnswer[] = [];
  const outcomes = [Promise.withResolvers<ToolResult>(), Promise.withResolvers<ToolResult>()] as const;
  for (const { promise } of outcomes) {
    const recall = new Cancellation();
    const answered = callTool(
      gatewayDeps({ call: () => promise }),
      DISPATCH,
      recall,
      (answer) => void late.push(answer),
    );
    recall.cancel();
    expect((await answered).event).toMatchObject({ outcome: 'cancelled' });
  }
  outcomes[0].reject(new Error('stopped'));
  outcomes[1].resolve(RESULT);
  await expect.poll(() => late.map(({ event }) => event)).toMatchObject([{ type: 'answer_came_late', outcome: 'ok' }]);
});
