/** An answer never shows a handle of a sealed value: equal handles reveal equal values. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agent, ambit, type Composer, type RunOutcome, templatePlanner, tool } from '../../../src/index.ts';
import { vaults } from '../../../src/store.ts';
import { scriptedComposer, sentence } from '../answers/bench.ts';

const find = tool({
  name: 'crm.find',
  description: 'Finds a customer',
  approvalMode: 'read_only',
  inputSchema: z.object({}),
  outputSchema: z.object({ email: z.string() }),
  execute: () => ({ email: 'ada@example.org' }),
  risk: { trusted: true },
  rules: { privacy: { seals: ['/email'] } },
});

const repeat = tool({
  name: 'crm.repeat',
  description: 'Repeats an address in a text',
  approvalMode: 'read_only',
  inputSchema: z.object({ email: z.string() }),
  outputSchema: z.looseObject({ memo: z.string() }),
  execute: ({ email }) => ({ memo: `Mail goes to ${email}`, more: { [`The address ${email}`]: 'known' }, plan: 'Pro' }),
  effects: { produces: ['memo'] },
  risk: { trusted: true },
});

async function invoke(composer: Composer | null, hasOutput = false): Promise<RunOutcome> {
  const clerk = agent({
    name: 'clerk',
    tools: [find, repeat],
    ...(hasOutput ? { output: z.object({ memo: z.string() }) } : {}),
    planner: templatePlanner({
      greet: {
        plan_id: 'plan_1',
        intent: 'greet',
        steps: [
          { id: 's1', tool: 'crm.find', params: {} },
          { id: 's2', tool: 'crm.repeat', depends_on: ['s1'], params: { email: { $from: 's1', path: '/email' } } },
        ],
        decision_checkpoints: [],
        ...(hasOutput ? { output: { memo: { $from: 's2', path: '/memo' } } } : {}),
      },
    }),
    intents: [
      { intent: 'greet', description: 'Greets', criteria: [{ id: 'ok', statement: 'It is known.', evidence: 'memo' }] },
    ],
    boundary: 'customer_support',
    budget: 'standard',
  });
  const runtime = ambit({
    agent: clerk,
    world: { vault: vaults.inMemory(), ...(composer === null ? {} : { composer }) },
  });
  const run = await runtime.invoke({
    message: 'What is the memo? Which address? Which plan?',
    user: { name: 'ada', tenant: 'shop' },
  });
  await runtime.close();
  return run;
}

async function ask(composer: Composer | null): Promise<string> {
  const run = await invoke(composer);
  expect(run.terminalCode).toBe('SUCCESS');
  return run.text ?? '';
}

test('stated facts leave out a text that repeats a handle', async () => {
  const text = await ask(null);
  expect(text).toContain('Plan: Pro.');
  expect(text).not.toContain('sealed:v1:');
});

test('a composer does not see a text that repeats a handle', async () => {
  const composer = scriptedComposer([[sentence('The plan is Pro.', ['ev_2', '/plan'])]]);
  expect(await ask(composer)).toBe('The plan is Pro.');
  expect(JSON.stringify(composer.requests)).not.toContain('sealed:v1:');
});

test('an output has no text that repeats a handle', async () => {
  const run = await invoke(null, true);
  expect(run).toMatchObject({ terminalCode: 'VALIDATION_FAIL', output: null });
  expect(run.why.join(' ')).toContain('the value is sealed and may not leave the run');
});
