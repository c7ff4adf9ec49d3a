import { equal } from 'node:assert/strict';
import { z } from 'zod';
import { ambit, tool } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, letter, serveAnthropic, step, stopServer, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const server = await serveAnthropic({
    criteria: { polite: 1, complete: 0.9 },
    verdict: 'accept',
    reason: 'it is polite',
  });
  const { tone } = await load(1);
  const message = 'Draft a letter';
  const agent = written({ tools: [letter] }, [step('draft_letter', { card: 'none' })]);
  const judged = await ambit({ agent, world: { judges: [tone] } }).invoke({ message, user: ADA });
  equal(judged.terminalCode, 'SUCCESS', JSON.stringify(judged));
  await stopServer(server);

  const { ledger, bank } = await load(2);
  const balance = (name: string, rules: object, argument: string, value: Record<string, unknown>) =>
    tool({
      name,
      description: 'Reads a balance',
      approvalMode: 'read_only',
      inputSchema: z.object({ [argument]: z.string() }),
      outputSchema: z.looseObject({}),
      execute: () => value,
      effects: { produces: ['balance'] },
      rules,
    });
  const tools = [
    balance('ledger', ledger, 'account', { total: 100 }),
    balance('bank', bank, 'iban', { balance: { cents: 90 } }),
  ];
  const both = [step('ledger', { account: 'a1' }, 's1'), step('bank', { iban: 'a1' }, 's2')];
  const compared = ambit({ agent: written({ tools }, both) });
  const { runId } = await compared.invoke({ message: 'Compare the balances', user: ADA });
  const events = JSON.stringify(await compared.records.frames(runId));
  equal(events.includes('conflict'), true, events);
};
