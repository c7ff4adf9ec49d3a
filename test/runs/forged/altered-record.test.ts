/** Tests that a genuine decision permits nothing in a record that was changed around it. */
import { describe, expect, test } from 'vitest';
import { ALTERED, inStoreFile } from '../../attacks/altered-record.ts';

describe('a writer of the store without a key changes a record', () => {
  test.each(ALTERED)('%s: nothing is sent, and the run can be ended', { timeout: 60_000 }, async (_, code, attack) => {
    const { message, ...held } = await inStoreFile(attack);
    expect(held).toEqual({ code, sent: 0, ended: code === 'decision_unproven' ? null : 'USER_CANCEL' });
    expect(message).toContain('ambit sessions terminate run_1');
  });
});
