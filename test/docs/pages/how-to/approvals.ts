import { equal } from 'node:assert/strict';
import { z } from 'zod';
import { ambit, tool } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, answer, CREDIT, creditRuntime, gateOf, plan, scripted, step } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const { approve, halve } = await load(1);
  const approving = creditRuntime();
  const waiting = gateOf(await approving.invoke(CREDIT));
  equal((await approve(approving, waiting)).terminalCode, 'SUCCESS');

  const editing = creditRuntime();
  const edited = await halve(editing, gateOf(await editing.invoke(CREDIT)));
  const packet = await editing.gates.packet(gateOf(edited).packetHash);
  equal((packet['parameters'] as Record<string, unknown>)['amount_cents'], 250);

  const { policy } = await load(2);
  const strict = creditRuntime({ world: { policy } });
  const first = await approve(strict, gateOf(await strict.invoke(CREDIT)));
  equal(first.status, 'awaiting_gate');

  const { keys, sign } = await load(3);
  const signed = creditRuntime({ world: { policy: { approvers: { keys } } } });
  const gate = gateOf(await signed.invoke(CREDIT));
  const { packetHash } = gate;
  const decided = await signed.approve(gate.gateId, { packetHash, credential: sign(gate), reason: 'within policy' });
  equal(decided.terminalCode, 'SUCCESS');

  const { allowReminders, endReminders } = await load(4);
  const remind = tool({
    name: 'mail.remind',
    description: 'Sends a reminder',
    approvalMode: 'delegated',
    inputSchema: z.object({ to: z.string(), template: z.string(), copies: z.int(), note: z.string() }),
    outputSchema: z.object({ sent_to: z.string() }),
    execute: ({ to }) => ({ sent_to: to }),
  });
  const params = { to: 'team-a', template: 'renewal', copies: 1, note: 'soon' };
  const script = [plan(step('mail.remind', params)), answer('It is sent to team-a.', ['ev_1', '/sent_to'])];
  const agent = scripted([...script, ...script], { tools: [remind] });
  const reminding = ambit({ agent });
  const message = 'Remind our teams';
  await allowReminders(reminding);
  const sent = await reminding.invoke({ message, user: ADA });
  equal(sent.terminalCode, 'SUCCESS', JSON.stringify(sent));
  await endReminders(reminding);
  equal((await reminding.invoke({ message, user: ADA })).status, 'awaiting_gate');
};
