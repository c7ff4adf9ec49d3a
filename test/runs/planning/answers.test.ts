/** Tests that the author and the cost a planner reports are validated like any untrusted input. */
import { describe, expect, test } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import type { EventOf, RunEvent } from '../../../src/model/events/event.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import type { PlanAnswer } from '../../../src/ports/model/planner.ts';
import { agentFor, planOf, REQUEST, rig, toolSpec } from '../rig.ts';

const ANSWER = { proposal: planOf([{ id: 'a', tool: 'finish' }]), author: 'model', spent: NO_COST, contextTokens: 0 };

/** Returns the event that a planner with this `propose` produces first. */
async function planned(propose: () => unknown): Promise<EventOf<'plan_proposed'> | EventOf<'plan_failed'>> {
  const { clock, settle } = rig({});
  const tools = [{ spec: toolSpec('finish', { produces: ['done'] }), execute: () => ({ ok: true }) }];
  const planner = { propose: async () => propose() as PlanAnswer };
  const runtime = ambit({ agent: agentFor(['finish']), tools, planner, world: { clock, timer: clock } });
  const { runId } = await settle(runtime.invoke(REQUEST));
  const events = (await runtime.records.frames(runId)).flatMap(({ events: text }) => JSON.parse(text) as RunEvent[]);
  const found = events.find((event) => event.type === 'plan_proposed' || event.type === 'plan_failed');
  if (found === undefined) throw new Error('no plan came in');
  return found as EventOf<'plan_proposed'> | EventOf<'plan_failed'>;
}

test('accepts a valid answer', async () => {
  expect(await planned(() => ANSWER)).toMatchObject({ type: 'plan_proposed', author: 'model', spent: NO_COST });
});

describe('a planner fails if it', () => {
  test.each<[string, unknown]>([
    ['answers nothing', undefined],
    ['answers with prose', 'here is your plan'],
    ['names the kernel as the author', { ...ANSWER, author: 'kernel' }],
    ['names no author', { ...ANSWER, author: undefined }],
    ['reports no cost', { ...ANSWER, spent: undefined }],
    ['reports a negative cost', { ...ANSWER, spent: { ...NO_COST, microusd: -1 } }],
    ['reports an infinite cost', { ...ANSWER, spent: { ...NO_COST, output_tokens: Number.POSITIVE_INFINITY } }],
    ['reports a fractional token count', { ...ANSWER, spent: { ...NO_COST, input_tokens: 0.5 } }],
    ['reports negative context tokens', { ...ANSWER, contextTokens: -1 }],
    ['reports more context tokens than a safe integer', { ...ANSWER, contextTokens: 2 ** 60 }],
    ['does not report its context tokens', { ...ANSWER, contextTokens: Number.NaN }],
  ])('%s', async (_name, answer) => {
    expect(await planned(() => answer)).toMatchObject({ type: 'plan_failed', code: 'planner_failed', spent: NO_COST });
  });
});

test('truncates and escapes the error message of a planner for the journal', async () => {
  const failed = await planned(() => {
    throw new Error(`\u001b[31m${'x'.repeat(1_000_000)}`);
  });
  if (failed.type !== 'plan_failed') throw new Error('the planner did not fail');
  expect(failed.code).toBe('planner_failed');
  expect(failed.message.length).toBeLessThan(4_200);
  expect(failed.message.startsWith('\\u001b[31mxxx')).toBe(true);
});

test('a planner that throws an object without a message counts as failed', async () => {
  const failed = await planned(() => {
    throw Object.create(null);
  });
  expect(failed).toMatchObject({ type: 'plan_failed', code: 'planner_failed' });
});
