import { describe, expect, test } from 'vitest';
import { emptyMemoryStore } from '../../../test/journal/memory-store.ts';
import { JOURNAL_CONTRACT } from '../../testing/contracts/journal-contract.ts';

describe('the in-memory journal meets the contract', () => {
  for (const { name, run } of JOURNAL_CONTRACT) {
    test(name, async () => {
      await expect(run(emptyMemoryStore())).resolves.toBeUndefined();
    });
  }
});
