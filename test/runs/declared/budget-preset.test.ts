/** Shipped budgets by name, and budgets with a missing cap. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type AgentOptions, agent, ambit, templatePlanner, tool } from '../../../src/index.ts';
import { PROFILE_CAPS } from '../../../src/model/budget/budget-profile.ts';

const look = tool({
  name: 'look',
  description: 'Looks the answer up',
  approvalMode: 'read_only',
  inputSchema: z.object({}),
  outputSchema: z.object({ found: z.boolean() }),
  execute: () => ({ found: true }),
  effects: { produces: ['answer'] },
  rules: { action: 'summarize_account' },
});

const declared = (budget?: AgentOptions['budget']) =>
  agent({
    name: 'support',
    planner: templatePlanner({
      ask: { plan_id: 'p1', intent: 'ask', steps: [{ id: 's1', tool: 'look' }], decision_checkpoints: [] },
    }),
    tools: [look],
    intents: [
      { intent: 'ask', description: 'Answer', criteria: [{ id: 'a', statement: 'It is known.', evidence: 'answer' }] },
    ],
    boundary: 'customer_support',
    ...(budget === undefined ? {} : { budget }),
  });

test('runs an agent with the standard budget, whose caps the manifest records', async () => {
  const runtime = ambit({ agent: declared('standard') });
  const { runId, terminalCode } = await runtime.invoke({ message: 'Is it there?', user: { name: 'ada', tenant: 'a' } });
  expect(terminalCode).toBe('SUCCESS');
  const [frame] = (await runtime.records.frames(runId)).filter(({ events }) => events.includes('run_initialized'));
  const begun = (JSON.parse(frame?.events ?? '[]') as readonly { type: string; manifest: object }[]).find(
    ({ type }) => type === 'run_initialized',
  );
  expect(begun?.manifest).toMatchObject({ budget_caps: PROFILE_CAPS.standard });
});

test('refuses an unknown budget and names the known ones', () => {
  expect(() => declared('large' as never)).toThrow(
    /agent support: there is no budget large; there are (?=.*standard)(?=.*research)(?=.*coding)(?=.*incident_sre).*, or state caps/,
  );
});

test('refuses an agent with missing caps when the runtime is created, and names each of them as an option', () => {
  expect(() => ambit({ agent: declared() })).toThrow(
    /state (?=.*stepsMax)(?=.*sideEffectsMax).*; or name .*'standard'/,
  );
  expect(() => ambit({ agent: declared({ profile: 'standard', toolCallsMax: 3 }) })).not.toThrow();
});

test('refuses a misspelt cap and suggests the nearest one', () => {
  expect(() => declared({ profile: 'standard', toolCallMax: 3 } as never)).toThrow(
    'agent support: budget: there is no cap toolCallMax; there are toolCallsMax, ',
  );
});
