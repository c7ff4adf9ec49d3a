/** Limits of a thread hold for all its runs together. */
import { expect, test } from 'vitest';
import { agent as declareAgent } from '../../src/compose.ts';
import { Fault } from '../../src/index.ts';
import type { AgentSpec } from '../../src/model/run/agent.ts';
import type { ThreadLimits } from '../../src/model/run/thread.ts';
import { scriptedPlanner } from '../../src/testing/scripted-planner.ts';
import { eventsOf } from '../runs/endings/turns.ts';
import { planOf, type Rig, rig } from '../runs/rig.ts';

const NOTE = planOf([{ id: 'n', tool: 'note' }]);

function limited(thread: ThreadLimits): Rig {
  const limit = (agent: AgentSpec): AgentSpec => ({ ...agent, thread });
  const note = { approval_mode: 'local_write', side_effect: true, produces: ['done'] } as const;
  return rig({ tools: { note }, plans: [NOTE, NOTE, NOTE], agent: limit });
}

const say = (bench: Rig, statement = 'Note it'): ReturnType<Rig['invoke']> =>
  bench.invoke({ goal: { statement }, thread: 'th_1' });

async function faultOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.catch((error: unknown) => (Fault.is(error) ? [error.code, error.message, error.path] : error));
}

test('a thread with its last run refuses the next message before anything is stored', async () => {
  const bench = limited({ runs_max: 2 });
  await say(bench);
  await say(bench);
  expect(await faultOf(say(bench))).toEqual([
    'thread_limit_reached',
    'thread th_1 has used up its limit runs_max of 2: begin a new thread, or raise thread.runsMax of the agent',
    '/thread/runs_max',
  ]);
  expect(await bench.journal.list({})).toHaveLength(2);
  expect(bench.dispatches).toHaveLength(2);
});

test('each run gets what the thread has left, and records it', async () => {
  const bench = limited({ side_effects_max: 1, input_tokens_max: 50_000 });
  expect(await say(bench)).toMatchObject({ terminalCode: 'SUCCESS', usage: { sideEffects: 1 } });
  const second = await say(bench);
  expect(second.terminalCode).not.toBe('SUCCESS');
  expect(second.usage.sideEffects).toBe(0);
  const [begun] = eventsOf(await bench.events(second.runId), 'run_initialized');
  expect(begun?.manifest.thread).toMatchObject({
    used: { side_effects: 1, tool_calls: 1 },
    limits: { side_effects_max: 1, input_tokens_max: 50_000 },
  });
  expect(begun?.caps).toMatchObject({ side_effects_max: 0, input_tokens_max: 50_000 });
  expect(bench.dispatches).toHaveLength(1);
  await bench.runtime.records.replay(second.runId);
});

test('tokens and money that no run can do without are refused when they are used up', async () => {
  const bench = limited({ inference_cost_usd_max: 0 });
  expect(await faultOf(say(bench))).toContain('/thread/inference_cost_usd_max');
});

test('an agent declares the limits beside its budget, and a wrong name is refused', () => {
  const declare = (thread: object): AgentSpec =>
    declareAgent({
      name: 'worker',
      planner: scriptedPlanner([]),
      tools: [],
      intents: [{ intent: 'work', description: 'Work' }],
      boundary: 'research',
      budget: 'standard',
      thread,
    }).spec;
  expect(declare({ runsMax: 3, sideEffectsMax: 1 }).thread).toEqual({ runs_max: 3, side_effects_max: 1 });
  expect(() => declare({ runMax: 3 })).toThrow('thread: there is no limit runMax; there are runsMax');
  expect(() => declare({ runsMax: 0 })).toThrow('runs_max');
});
