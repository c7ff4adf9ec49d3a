/** No tool code runs before the turn that dispatches it has ended. */
import { expect, test } from 'vitest';
import { toolSpec } from '../../../test/runs/rig.ts';
import { sha256 } from '../../adapters/node/ids-and-hash.ts';
import { workspaceFiles } from '../../adapters/node/workspace-files.ts';
import { NO_COST, type ToolCall } from '../../model/tool/tool.ts';
import { Cancellation } from '../../ports/cancellation.ts';
import { simulatedClock } from '../../testing/simulated-clock.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import { BREAKER_LIMITS } from '../limits/breakers.ts';
import type { ProbeRequest } from './probes.ts';
import type { ToolAnswer } from './tool-answer.ts';

const CALL: ToolCall = {
  call_id: 'call_1',
  step_id: 'a',
  tool: 'pay',
  args: {},
  args_hash: 'sha256:0',
  idempotency_key: 'key_1',
  attempt: 1,
};
const RUN = { runId: 'run_1', tenantId: 'acme', actor: 'agt', scopes: [] };
const SENT = { call: CALL, limits: undefined, behind: [], run: RUN, timeoutMs: 10, notBefore: 0, dispatchBefore: 10 };
const LOOK: ProbeRequest = {
  call: CALL,
  probeName: 'find',
  probe: toolSpec('find'),
  run: RUN,
  notBefore: 0,
  clear: () => ({ ok: true, notBefore: 0 }),
  behind: () => [],
  stoppedBy: async () => null,
  checkAnswer: () => [],
  checkResult: () => [],
  ruleOn: () => {
    throw new Error('nothing is put aside');
  },
  bound: () => [],
};
const listeners = () => ({ recall: new Cancellation(), onLateAnswer: () => undefined });

test.each<[string, string, (gateway: Gateway) => Promise<ToolAnswer>]>([
  ['call', 'pay', (gateway) => gateway.call(SENT, new Cancellation(), () => undefined)],
  ['reconcile', 'find', (gateway) => gateway.reconcile(LOOK, listeners())],
  ['verify', 'find', (gateway) => gateway.verify(LOOK, {}, listeners())],
])('%s runs no tool code before the turn has ended', async (_name, tool, send) => {
  const asked: string[] = [];
  const clock = simulatedClock(0);
  const gateway = createGateway({
    tools: {
      call: async ({ tool: name, call_id }) => {
        asked.push(name);
        return { call_id, outcome: 'ok', raw: {}, spent: NO_COST };
      },
    },
    infrastructure: { permits: () => ({ ok: true }) },
    files: workspaceFiles(),
    breakers: BREAKER_LIMITS,
    clock,
    timer: clock,
    hash: sha256,
  });
  const answer = send(gateway);
  expect(asked).toEqual([]);
  await answer;
  expect(asked).toEqual([tool]);
});
