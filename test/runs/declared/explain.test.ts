/** `runtime.agents.explain`: several agents, lanes, imported tools, and ids that contain dots. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fromAISDK } from '../../../src/adapters/ai-sdk/index.ts';
import { agent, ambit, lane, tool } from '../../../src/index.ts';
import type { AgentExplanation, ExplainedLine } from '../../../src/records.ts';
import { scriptedModel } from '../../../src/testing/index.ts';

const look = tool({
  name: 'logs.query',
  description: 'Query the logs',
  approvalMode: 'read_only',
  inputSchema: z.object({}),
  outputSchema: z.object({ errors: z.int() }),
  execute: () => ({ errors: 1 }),
  effects: { produces: ['logs'] },
});

const worker = agent({
  name: 'analyst',
  model: scriptedModel([]),
  tools: [look],
  intents: [{ intent: 'logs.read', description: 'Read the logs', risk: 'low' }],
  boundary: 'research',
});

const delegate = lane({
  name: 'look_at_logs',
  description: 'Delegates the logs',
  agent: worker,
  task: {
    inputSchema: z.object({}),
    outputSchema: z.object({ logs: z.unknown() }),
    goal: () => 'Read the logs',
    returns: ['logs'],
  },
});

function linesOf({ sections }: AgentExplanation): ReadonlyMap<string, ExplainedLine> {
  return new Map(
    sections.flatMap(({ title, lines }) => lines.map((line) => [`${title}: ${line.name}`, line] as const)),
  );
}

test('explains the lead and the agent in its lane, each under its name', async () => {
  const lead = agent({
    name: 'lead',
    model: scriptedModel([]),
    tools: [delegate, look],
    boundary: 'research',
    budget: { lanesMax: 1 },
    settings: { roles: { sre: 'delegated' } },
  });
  const runtime = ambit({ agent: lead });
  expect(() => runtime.agents.explain()).toThrow(
    'agent is missing: name the agent to explain: lead, lead/look_at_logs',
  );
  const lines = linesOf(runtime.agents.explain('lead'));
  expect(lines.get('Tool look_at_logs: mode')).toMatchObject({ value: 'delegated', source: 'default' });
  expect(lines.get('Tool look_at_logs: evidence')).toMatchObject({ value: 'logs', source: 'stated', option: 'task' });
  expect(lines.get('Tool look_at_logs: side effect')).toMatchObject({ source: 'derived' });
  expect(lines.get('Tool look_at_logs: tools of the lane')?.value).toContain('logs.query');
  expect(lines.get('Budget of a run: lanes')).toMatchObject({ value: '1', source: 'stated' });
  // The budget names no table, so that of the boundary applies.
  expect(lines.get('Budget of a run: table of caps')).toMatchObject({ value: "'research'", source: 'default' });
  expect(lines.get('Budget of a run: steps')).toMatchObject({ value: '15', source: 'default' });
  const below = linesOf(runtime.agents.explain('lead/look_at_logs'));
  expect(below.get('Requests: intent logs.read')).toMatchObject({ source: 'stated' });
  expect(below.get('Requests: risk of logs.read')).toMatchObject({ value: 'low', source: 'stated' });
  expect(below.get('Requests: criteria of logs.read')).toMatchObject({ source: 'default' });
  await runtime.close();
});

test('names the labels of an imported tool, and what the import assumed', async () => {
  const [buy] = await fromAISDK(
    { buy: { description: 'Buy', inputSchema: z.object({}), execute: () => ({}) } } as never,
    { buy: { gates: ['GATE_BUYER'] } },
  );
  if (buy === undefined) throw new Error('nothing was imported');
  const runtime = ambit({
    agent: agent({
      name: 'buyer',
      model: scriptedModel([]),
      tools: [buy],
      boundary: 'procurement',
      budget: 'standard',
      settings: { roles: { buyer: 'destructive' } },
    }),
  });
  const lines = linesOf(runtime.agents.explain());
  expect(lines.get('Tool buy: gates')).toMatchObject({ value: 'GATE_BUYER', source: 'stated', option: 'labels.gates' });
  expect(lines.get('Tool buy: mode')).toMatchObject({
    value: 'destructive',
    source: 'default',
    option: 'labels.approval_mode',
  });
  await runtime.close();
});
