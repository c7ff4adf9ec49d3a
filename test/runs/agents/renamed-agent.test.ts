/** A deploy that renames an agent: its waiting runs can still be read and ended, and nothing continues them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { z } from 'zod';
import { type Agent, type Ambit, agent, ambit, type RunOutcome, tool } from '../../../src/index.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { verifies } from '../../requirements/verifies.ts';

const SAM = { credential: { kind: 'local_operator', name: 'sam' }, reason: 'seen' } as const;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ambit-renamed-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const paid: string[] = [];

const payer = (name: string): Agent => {
  const pay = tool({
    name: 'pay',
    description: 'Pays an invoice',
    approvalMode: 'destructive',
    effects: { produces: ['payment'], idempotency: { kind: 'key', retentionMs: 60_000 } },
    inputSchema: z.object({ invoice: z.string() }),
    outputSchema: z.object({ status: z.string() }),
    execute: ({ invoice }) => {
      paid.push(invoice);
      return { status: 'paid' };
    },
  });
  return agent({
    name,
    planner: scriptedPlanner([
      {
        plan_id: 'plan_1',
        intent: name,
        steps: [{ id: 's1', tool: 'pay', params: { invoice: 'INV-1' }, requires: ['GATE_MODE_APPROVAL'] }],
        decision_checkpoints: [],
      },
    ]),
    tools: [pay],
    boundary: 'customer_support',
    budget: 'standard',
    settings: { roles: { clerk: 'destructive' } },
  });
};

const open = (store: string, ...names: readonly string[]): Ambit =>
  ambit({ agents: names.map(payer), store: `sqlite:${store}` });

const REQUEST = { message: 'Pay INV-1', user: { name: 'ada', tenant: 'acme', roles: ['clerk'] } };

const END: Readonly<Record<string, (runtime: Ambit, run: RunOutcome) => Promise<RunOutcome>>> = {
  reject: ({ gates }, { pending: [gate] }) =>
    gates.reject(gate?.gateId ?? '', { ...SAM, packetHash: gate?.packetHash ?? '' }),
  cancel: ({ sessions }, { runId }) => sessions.cancel(runId, SAM),
  terminate: ({ sessions }, { runId }) => sessions.terminate(runId, SAM),
};

for (const [how, end] of Object.entries(END)) {
  verifies(
    'resume:deploy:unused-change-does-not-strand',
    `${how} ends a run of an agent that was renamed`,
    async () => {
      const store = join(folder, `${how}.db`);
      const first = open(store, 'billing', 'other');
      const run = await first.invoke('billing', REQUEST);
      expect(run.status).toBe('awaiting_gate');
      await first.close();
      const second = open(store, 'invoicing', 'other');
      const [gate] = run.pending;
      await expect(
        second.approve(gate?.gateId ?? '', { ...SAM, packetHash: gate?.packetHash ?? '' }),
      ).rejects.toMatchObject({ message: expect.stringContaining('the run belongs to billing') });
      expect(await second.sessions.get(run.runId)).toMatchObject({ status: 'awaiting_gate' });
      const { terminalCode } = await end(second, run);
      expect(terminalCode).toBe(how === 'reject' ? 'PERMISSION_DENIED' : 'USER_CANCEL');
      expect(paid).toEqual([]);
      await second.close();
    },
  );
}
