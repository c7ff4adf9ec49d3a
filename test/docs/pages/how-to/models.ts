import { deepEqual, equal } from 'node:assert/strict';
import { ambit, type ModelProfile, planFirst } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { customer, plan, QUESTION, scripted, serveAnthropic, step, stopServer } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const server = await serveAnthropic(plan(step('customer')), plan(step('customer')));
  const { planner } = await load(1);
  const { careful } = await load(2);
  for (const each of [planner, planFirst({ model: careful })]) {
    const agent = scripted([], { planner: each, model: undefined, tools: [customer] } as never);
    equal((await ambit({ agent }).invoke(QUESTION)).terminalCode, 'SUCCESS');
  }
  deepEqual(
    server.requests.map(({ body }) => body['model']),
    ['claude-sonnet-5', 'claude-opus-4-5'],
  );
  await stopServer(server);
  const { withBusyModel } = await load(3);
  await withBusyModel(JSON.stringify(plan(step('customer'))), async (model: ModelProfile) => {
    const agent = scripted([], { model, models: { composer: null } });
    equal((await ambit({ agent }).invoke(QUESTION)).terminalCode, 'SUCCESS');
  });
};
