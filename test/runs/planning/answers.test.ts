/** What a planner says of itself, who wrote the plan and what it cost, is looked at like everything a stranger says. */
import { describe, expect, test } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import type { EventOf, RunEvent } from '../../../src/model/event.ts';
import { NO_COST } from '../../../src/model/tool.ts';
import type { PlanAnswer } from '../../../src/ports/planner.ts';
import { agentFor, planOf, REQUEST, rig, toolSpec } from '../rig.ts';

const ANSWER = { proposal: planOf([{ id: 'a', tool: 'finish' }]), author: 'model', spent: NO_COST, contextTokens: 0 };

/** How the first plan came in, of a planner that does this. */
async function planned(propose: () => unknown): Promise<EventOf<'plan_proposed'> | EventOf<'plan_failed'>> {
  const { clock, settle } = rig({});
  const tools = [{ spec: toolSpec('finish', { produces: ['done'] }), execute: () => ({ ok: true }) }];
  const planner = { propose: async () => propose() as PlanAnswer };
  const runtime = ambit({ agent: agentFor(['finish']), tools, planner, world: { clock, timer: clock } });
  const { runId } = await settle(runtime.invoke(REQUEST));
  const events = (await runtime.frames(runId)).flatMap(({ events: text }) => JSON.parse(text) as RunEvent[]);
  const found = events.find((event) => event.type === 'plan_proposed' || event.type === 'plan_failed');
  if (found === undefined) throw new Error('no plan came in');
  return found as EventOf<'plan_proposed'> | EventOf<'plan_failed'>;
}

test('an answer that fits is taken', async () => {
  expect(await planned(() => ANSWER)).toMatchObject({ type: 'plan_proposed', author: 'model', spent: NO_COST });
});

describe('a planner has failed that', () => {
  test.each<[string, unknown]>([
    ['answers nothing', undefined],
    ['answers with prose', 'here is your plan'],
    ['says that the kernel wrote it', { ...ANSWER, author: 'kernel' }],
    ['does not say who wrote it', { ...ANSWER, author: undefined }],
    ['does not say what it cost', { ...ANSWER, spent: undefined }],
    ['gives money back', { ...ANSWER, spent: { ...NO_COST, microusd: -1 } }],
    ['cost more than can be counted', { ...ANSWER, spent: { ...NO_COST, output_tokens: Number.POSITIVE_INFINITY } }],
    ['cost a fraction of a token', { ...ANSWER, spent: { ...NO_COST, input_tokens: 0.5 } }],
    ['read less than nothing', { ...ANSWER, contextTokens: -1 }],
    ['read more than can be counted', { ...ANSWER, contextTokens: 2 ** 60 }],
    ['does not say how much it read', { ...ANSWER, contextTokens: Number.NaN }],
  ])('%s', async (_name, answer) => {
    expect(await planned(() => answer)).toMatchObject({ type: 'plan_failed', code: 'planner_failed', spent: NO_COST });
  });
});

test('what a planner says when it fails is cut to what a journal should hold', async () => {
  const failed = await planned(() => {
    throw new Error(`\u001b[31m${'x'.repeat(1_000_000)}`);
  });
  if (failed.type !== 'plan_failed') throw new Error('the planner did not fail');
  expect(failed.code).toBe('planner_failed');
  expect(failed.message.length).toBeLessThan(4_200);
  expect(failed.message.startsWith('\\u001b[31mxxx')).toBe(true);
});

test('a planner may throw what has no words at all', async () => {
  const failed = await planned(() => {
    throw Object.create(null);
  });
  expect(failed).toMatchObject({ type: 'plan_failed', code: 'planner_failed' });
});
