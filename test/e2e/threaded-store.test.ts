/** The refund again, with a thread that writes to the file: one process asks, another decides, and all of it replays. */
import { ambit } from 'ambit';
import { expect, test } from 'vitest';
import { supportAgent } from '../../examples/01-refund/src/agent.ts';
import { refundRequest } from '../../examples/01-refund/src/request.ts';
import { openShop } from '../../examples/01-refund/src/shop.ts';
import { freshFile } from '../journal/sqlite-store.ts';

const APPROVER = { kind: 'local_operator', name: 'user_finance_lead' } as const;

test('a run over a store with a thread waits, is taken up again, ends and replays', async () => {
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
  const frames = await deciding.frames(runId);
  expect(await deciding.replay(runId)).toMatchObject({ turns: { length: frames.length } });
  await deciding.close();
});

test('what follows the file in the name of a store is refused, with the name that it could have', () => {
  const { tools } = openShop();
  expect(() => ambit({ agent: supportAgent(tools), store: 'sqlite:run.db?writer=threads' })).toThrow(
    'store "sqlite:run.db?writer=threads": use "memory", "sqlite:<file>" or "sqlite:<file>?writer=thread"',
  );
});
