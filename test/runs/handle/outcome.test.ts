/** The outcome of a run is readable at any time: text, usage by role, and calls in doubt. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { ambit, promptTool } from '../../../src/compose.ts';
import { MICROUSD_PER_USD } from '../../../src/model/budget/dimensions.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import { addCost, NO_COST, type ToolCost } from '../../../src/model/tool/tool.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { judge, judgeAnswer, profile } from '../judges/bench.ts';
import { agentOf, CAPS, neverAnswers, operator, planOf, REQUEST, type RigOptions, rig } from '../rig.ts';
import { ASK, collect, openShop } from './shop.ts';

const spentIn = (events: readonly RunEvent[], ...types: readonly string[]): ToolCost =>
  events.reduce(
    (sum, event) => (types.includes(event.type) && 'spent' in event ? addCost(sum, event.spent ?? NO_COST) : sum),
    NO_COST,
  );

const tokensAndMoney = ({ input_tokens, output_tokens, microusd }: ToolCost): object => ({
  inputTokens: input_tokens,
  outputTokens: output_tokens,
  usd: microusd / MICROUSD_PER_USD,
});

test('the usage equals the sums in the journal, in total and by role', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'ambit-usage-')), 'run.db');
  const model = scriptedModel([{ sentence: 'Done.' }]);
  const write = promptTool({
    name: 'write',
    description: 'Writes a sentence',
    model: profile('writer', model),
    prompt: { version: '1', system: 'You write.', text: () => 'Write.' },
    inputSchema: z.object({}),
    outputSchema: z.object({ sentence: z.string() }),
    produces: ['done'],
    bounds: { action: 'summarize', trusted: true },
  });
  const spent = { input_tokens: 700, output_tokens: 90, microusd: 4_321 };
  const runtime = ambit({
    agent: agentOf({ write: { produces: ['done'] } }, CAPS),
    tools: [write],
    planner: scriptedPlanner([planOf([{ id: 'a', tool: 'write' }])], { spent }),
    limits: { plannerCost: { input_tokens: 1_000, output_tokens: 500, microusd: 10_000 } },
    world: {
      journal: sqliteJournal({ path, hash: sha256 }),
      judges: [judge({ says: [judgeAnswer(0.9)] })],
    },
  });
  const { runId, usage, terminalCode } = await runtime.invoke(REQUEST);
  expect(terminalCode).toBe('SUCCESS');
  const events = (await collect(runtime.sessions.watch(runId))).map(({ event }) => event);
  const planner = spentIn(events, 'plan_proposed');
  const executor = spentIn(events, 'step_observed');
  const critic = spentIn(events, 'judges_answered');
  for (const part of [planner, executor, critic]) expect(part.input_tokens).toBeGreaterThan(0);
  expect(usage.byRole).toMatchObject({
    planner: tokensAndMoney(planner),
    executor: tokensAndMoney(executor),
    critic: tokensAndMoney(critic),
  });
  expect(usage).toMatchObject(tokensAndMoney(addCost(planner, addCost(executor, critic))));
  expect(usage.toolCalls).toBe(events.filter(({ type }) => type === 'step_attempted').length);
  expect(usage.byRole.executor.toolCalls).toBe(usage.toolCalls);
  expect(usage.wallClockMs).toBe((events.at(-1)?.at ?? 0) - (events[0]?.at ?? 0));
  await runtime.close();
});

const PAY: RigOptions = {
  tools: {
    pay: {
      approval_mode: 'local_write',
      side_effect: true,
      retries_max: 0,
      idempotency: { kind: 'none' },
      execute: neverAnswers,
    },
    finish: { produces: ['done'] },
  },
  plans: [
    planOf([
      { id: 's1', tool: 'pay', params: { amount: 5 } },
      { id: 's2', tool: 'finish', depends_on: ['s1'] },
    ]),
  ],
};

test('the doubts list a call without a result, until a person states what happened', async () => {
  const bench = rig(PAY);
  const waiting = await bench.invoke();
  const [sent] = (await bench.events(waiting.runId)).filter(({ type }) => type === 'step_attempted');
  const callId = sent !== undefined && 'call_id' in sent ? sent.call_id : '';
  expect(waiting.doubts).toEqual([{ tool: 'pay', stepId: 's1', callId, since: sent?.at }]);
  expect(await bench.runtime.sessions.get(waiting.runId)).toEqual(waiting);
  bench.clock.advanceTo(Number(waiting.suspended?.detail?.['settled_by']));
  const answer = { credential: operator('ana'), reason: 'the bank says so', packetHash: waiting.handoverHash ?? '' };
  const done = await bench.settle(
    bench.runtime.sessions.decideEscalation(waiting.runId, {
      ...answer,
      decision: 'continue',
      happened: { result: { ok: true } },
    }),
  );
  expect(done).toMatchObject({ terminalCode: 'SUCCESS', doubts: [], usage: { sideEffects: 1 } });
});

test('a run that ends with a call in doubt still lists it', async () => {
  const bench = rig(PAY);
  const { runId } = await bench.invoke();
  const run = bench.runtime.sessions.send(runId, { type: 'run_cancelled', by: 'agt_worker', reason: 'enough' });
  expect(await bench.settle(run)).toMatchObject({
    terminalCode: 'USER_CANCEL',
    doubts: [{ tool: 'pay', stepId: 's1' }],
  });
});

test('the outcome is readable while the run goes on, in this runtime and in another one', async () => {
  const shop = openShop();
  const other = shop.reopen();
  const run = shop.runtime.start(ASK);
  const call = await shop.nextCall();
  const here = await shop.runtime.sessions.get(run.id);
  expect(here).toMatchObject({ runId: run.id, status: 'in_progress', terminalCode: null, text: null, doubts: [] });
  expect(here.usage).toMatchObject({ toolCalls: 0 });
  expect(await other.runtime.sessions.get(run.id)).toEqual(here);
  await expect(shop.runtime.sessions.contract(run.id)).rejects.toMatchObject({ code: 'session_not_found' });
  call.answer();
  const done = await run.settled;
  expect(done).toMatchObject({ status: 'completed', usage: { toolCalls: 1, byRole: { executor: { toolCalls: 1 } } } });
  expect(await other.runtime.sessions.get(run.id)).toEqual(done);
  await Promise.all([shop.runtime.close(), other.runtime.close()]);
});
