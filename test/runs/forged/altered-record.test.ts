/** Tests that a genuine decision permits nothing in a record that was changed around it. */
import { describe, expect, test } from 'vitest';
import { ALTERED, inStoreFile } from '../../attacks/altered-record.ts';
import { FORGED, gateIn, reason, sharedStore, untilSent } from '../../attacks/forged-record.ts';

describe('a writer of the store without a key changes a record', () => {
  test.each(ALTERED)('%s: nothing is sent, and the run can be ended', { timeout: 60_000 }, async (_, code, attack) => {
    const { message, ...held } = await inStoreFile(attack);
    expect(held).toEqual({ code, sent: 0, ended: code === 'decision_unproven' ? null : 'USER_CANCEL' });
    expect(message).toContain('ambit sessions terminate run_1');
  });
});

test('verify names the altered event, and an audit counts the calls after it', async () => {
  const store = await sharedStore();
  const forger = store.forger(undefined, (event) =>
    event.type === 'gate_opened' ? { ...event, expires_at: event.expires_at + 1 } : event,
  );
  const waiting = await forger.invoke();
  const { gateId, packetHash } = gateIn(waiting);
  const { records } = store.keyed().runtime;
  expect((await records.verify()).proofs).toEqual({
    checked: 0,
    unproven: [],
    altered: [{ run_id: 'run_1', frame: 2, message: expect.stringMatching(/^gate_opened .*\/3\/expires_at/) }],
  });
  await untilSent(forger, forger.runtime.approve(gateId, { packetHash, credential: FORGED, reason }));
  expect(await records.audit('run_1')).toMatchObject([{ tool: 'pay', missing: ['GATE_FINANCE'] }]);
});
