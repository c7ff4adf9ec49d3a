/** `ambit run` and `ambit sessions diagnose` on a run whose sources contradict each other. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/index.ts';
import type { Diagnosis } from '../../src/records.ts';
import { openProject, type Project } from './project.ts';

const SLOW = 600_000;
const DISAGREE = 'ev_1 and ev_2 disagree on balance/total of acc_1: ledger, bank';

const CONFIG = `
import { agent, defineConfig, templatePlanner, tool } from 'ambit';
import { z } from 'zod';

const source = (name: string, total: number) =>
  tool({
    name,
    description: 'Looks the balance up',
    approvalMode: 'read_only',
    inputSchema: z.object({ account: z.string() }),
    outputSchema: z.object({ total: z.number() }),
    execute: () => ({ total }),
    effects: { produces: ['balance'] },
    rules: { asserts: [{ type: 'balance', subject: '/account', values: { total: '/total' } }] },
  });
const params = { account: 'acc_1' };
const steps = [
  { id: 'a', tool: 'ledger', params },
  { id: 'b', tool: 'bank', params },
];
export default defineConfig({
  agents: [
    agent({
      name: 'accounts',
      planner: templatePlanner({ balance: { plan_id: 'p1', intent: 'balance', steps, decision_checkpoints: [] } }),
      tools: [source('ledger', 1), source('bank', 2)],
      boundary: 'research',
      budget: 'standard',
    }),
  ],
  store: 'sqlite:ambit.db',
  identity: { actor: 'ada', tenant_id: 'shop', roles: ['clerk'], scopes: ['ledger', 'bank'] },
});
`;

let project: Project;

beforeAll(() => {
  project = openProject();
  project.write('ambit.config.ts', CONFIG);
}, SLOW);
afterAll(() => project.remove());

test('both name the conflict, as text and as JSON', { timeout: SLOW }, () => {
  const run = project.json<RunOutcome>('run', '--goal', 'Say the balance of acc_1');
  expect(run).toMatchObject({ status: 'paused', suspended: { code: 'SOURCE_CONFLICT' }, authority: 'review_queue' });
  expect(run.why).toContain(DISAGREE);
  const [found] = project.json<readonly Diagnosis[]>('sessions', 'diagnose', run.runId);
  expect(found).toMatchObject({ family: 'source_conflict', shownBy: DISAGREE });
  const { out } = project.ambit('sessions', 'diagnose', run.runId);
  expect(out).toContain('source_conflict');
  expect(out).toContain(DISAGREE);
});
