/** `ambit run` shows the declared output, and marks leaves of untrusted sources. */
import { expect, onTestFinished, test } from 'vitest';
import { openProject } from './project.ts';

const CONFIG = `
import { agent, defineConfig, templatePlanner, tool } from 'ambit';
import { z } from 'zod';

const inbox = tool({
  name: 'inbox',
  description: 'Reads the last mail',
  approvalMode: 'read_only',
  inputSchema: z.object({}),
  outputSchema: z.object({ subject: z.string() }),
  execute: () => ({ subject: 'Hello' }),
  effects: { produces: ['mail'] },
});

const mail = agent({
  name: 'mail',
  tools: [inbox],
  output: z.object({ subject: z.string() }),
  planner: templatePlanner({
    read: {
      plan_id: 'read',
      intent: 'read',
      steps: [{ id: 's1', tool: 'inbox', params: {} }],
      decision_checkpoints: [],
      output: { subject: { $from: 's1', path: '/subject' } },
    },
  }),
  intents: [
    { intent: 'read', description: 'Read mail', criteria: [{ id: 'read', statement: 'Read.', evidence: 'mail' }] },
  ],
  boundary: 'customer_support',
  budget: { profile: 'research' },
});

export default defineConfig({
  agents: [mail],
  store: 'sqlite:mail.db',
  identity: { actor: 'ada', tenant_id: 'shop', roles: [], scopes: ['inbox'] },
});
`;

test('run prints the output as text and as JSON', { timeout: 600_000 }, () => {
  const project = openProject();
  onTestFinished(() => project.remove());
  project.write('ambit.config.ts', CONFIG);
  const { out, err, exit } = project.ambit('run', 'mail', '--goal', 'What is the last mail about?');
  expect(exit).toBe(0);
  const [, answer = ''] = /^ *answer +(.+)$/m.exec(out) ?? [];
  expect(answer).not.toBe('');
  expect(`${out}${err}`.split(answer)).toHaveLength(2);
  expect(out).toMatch(/^ *output +\{"subject":"Hello"\}$/m);
  expect(out).toMatch(/^ *untrusted +output\/subject$/m);
  const shown = project.json<{ output: unknown; outputEvidence: unknown }>(
    'run',
    'mail',
    '--goal',
    'What is it about?',
  );
  expect(shown).toMatchObject({
    output: { subject: 'Hello' },
    outputEvidence: { '/subject': { ref: 'ev_1', pointer: '/subject', trusted: false } },
  });
});
