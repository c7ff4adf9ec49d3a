/** Tests a supervisor and its worker, declared through the public API only. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent, ambit, lane, templatePlanner, tool } from '../../../src/index.ts';

const lookUp = tool({
  name: 'logs.search',
  description: 'Search the logs of one service',
  approvalMode: 'read_only',
  inputSchema: z.object({ service: z.string() }),
  outputSchema: z.object({ errors: z.int() }),
  execute: ({ service }) => ({ errors: service === 'checkout' ? 12 : 0 }),
  effects: { produces: ['error_count'] },
  risk: { trusted: true },
});

const investigator = agent({
  name: 'investigator',
  planner: templatePlanner({
    count_errors: {
      plan_id: 'count',
      intent: 'count_errors',
      steps: [{ id: 'look', tool: 'logs.search', params: { service: { $slot: 'service' } } }],
      decision_checkpoints: [],
    },
  }),
  tools: [lookUp],
  intents: [
    {
      intent: 'count_errors',
      description: 'Count the errors of a service',
      risk: 'low',
      criteria: [{ id: 'counted', statement: 'The errors are counted.', evidence: 'error_count' }],
    },
  ],
  boundary: 'incident_sre',
  budget: { profile: 'incident_sre' },
});

const investigate = lane({
  name: 'investigate',
  description: 'Has the investigator count the errors of one service',
  agent: investigator,
  approvalMode: 'read_only',
  budget: {
    stepsMax: 2,
    toolCallsMax: 2,
    inputTokensMax: 1_000,
    outputTokensMax: 500,
    inferenceCostUsdMax: 0.1,
    replanAttemptsMax: 0,
    reflectionPassesMax: 0,
    externalApiCallsMax: 0,
  },
  task: {
    inputSchema: z.object({ service: z.string() }),
    outputSchema: z.object({ error_count: z.object({ errors: z.int() }) }),
    goal: ({ service }) => `Count the errors of ${service}`,
    returns: ['error_count'],
  },
});

const supervisor = agent({
  name: 'supervisor',
  planner: templatePlanner({
    triage: {
      plan_id: 'triage',
      intent: 'triage',
      steps: [
        { id: 'a', tool: 'investigate', params: { service: 'checkout' } },
        { id: 'b', tool: 'investigate', params: { service: 'search' } },
      ],
      decision_checkpoints: [],
    },
  }),
  tools: [investigate],
  intents: [
    {
      intent: 'triage',
      description: 'Find out which service is broken',
      risk: 'low',
      criteria: [{ id: 'known', statement: 'The errors are known.', evidence: 'error_count' }],
    },
  ],
  boundary: 'incident_sre',
  budget: { profile: 'incident_sre', lanesMax: 2 },
});

test('runs two lanes in parallel, declared in one file', async () => {
  const runtime = ambit({ agents: [supervisor], limits: { parallelSteps: 2 } });
  const identity = {
    actor: 'oncall',
    tenant_id: 'tenant_a',
    roles: [],
    scopes: ['investigate', 'logs.search'],
    expires_at: 4_000_000_000_000,
  };
  const run = await runtime.invoke('supervisor', { goal: 'Which service is broken?', identity });
  expect(run).toMatchObject({ status: 'completed', terminalCode: 'SUCCESS' });
  expect(run.record?.lanes?.map(({ step_id, ruling }) => [step_id, ruling])).toEqual([
    ['a', 'accepted'],
    ['b', 'accepted'],
  ]);
  const { tool_calls } = await runtime.records.trace(run.runId);
  expect(new Set(tool_calls.map((call) => call.lane?.span_id)).size).toBe(2);
  await runtime.close();
});

test('rejects an invalid lane where it is declared', () => {
  const task = { inputSchema: { type: 'object' }, outputSchema: {}, goal: () => 'x', returns: [] } as const;
  const declared = { name: 'l', description: 'l', agent: investigator, task } as const;
  expect(() => lane({ ...declared, tools: ['rm'] })).toThrow('lane l: investigator may not use rm');
  expect(() => lane({ ...declared, task: { ...task, intent: 'other' } })).toThrow(
    /has no intent other; it has count_errors/,
  );
  expect(() => lane({ ...declared, agent: 'peer' })).toThrow(/list the tools that the peer may use/);
  expect(() => lane({ ...declared, budjet: {} } as never)).toThrow(/there is no option budjet/);
  expect(() => lane({ ...declared, agent: 7 } as never)).toThrow(/agent must be an agent made with agent\(\)/);
  expect(() => lane({ ...declared, budget: { profile: 'coding' } })).toThrow(/set only caps that lower it/);
  expect(() => lane(null as never)).toThrow(/lane\(\) needs an options object: lane/);
});
