/**
 * The refund with a thread that writes to the file: one process opens the gate, another decides, and the journal
 * replays.
 */
import { ambit } from 'ambit';
import { expect, test } from 'vitest';
import { supportAgent } from '../../examples/01-refund/src/agent.ts';
import { refundRequest } from '../../examples/01-refund/src/request.ts';
import { openShop } from '../../examples/01-refund/src/shop.ts';
import { freshFile } from '../journal/sqlite-store.ts';

const APPROVER = { kind: 'local_operator', name: 'user_finance_lead' } as const;

test('a run over a threaded store waits, resumes, ends and replays', async () => {
  const shop = openShop();
  const agent = supportAgent(shop.tools);
  const store = `sqlite:${freshFile()}?writer=thread` as const;
  const asking = ambit({ agent, store });
  const { runId, pending } = await asking.invoke(refundRequest);
  await asking.close();
  const [gate] = pending;
  if (gate === undefined) throw new Error('no gate was opened');
  const deciding = ambit({ agent, store });
  const { gateId, packetHash } = gate;
  const done = await deciding.approve(gateId, { packetHash, credential: APPROVER, reason: 'within policy' });
  expect(done).toMatchObject({ runId, terminalCode: 'SUCCESS' });
  const frames = await deciding.records.frames(runId);
  expect(await deciding.records.replay(runId)).toMatchObject({ turns: { length: frames.length } });
  await deciding.close();
});

test('rejects an unknown option after the file name of a store and lists the valid forms', () => {
  const { tools } = openShop();
  expect(() => ambit({ agent: supportAgent(tools), store: 'sqlite:run.db?writer=threads' })).toThrow(
    'store "sqlite:run.db?writer=threads": use "memory", "sqlite:<file>" or "sqlite:<file>?writer=thread&anchor_key=<key file>"',
  );
});
