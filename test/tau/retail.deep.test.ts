/** All of tau-bench retail, if it is in a folder next to the repository. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkTau } from './check-tau.ts';

const DATA = new URL('../../../shared/data/tau/', import.meta.url).pathname;

test.skipIf(!existsSync(DATA))(
  'all 135 tasks end in their recorded state, despite 24 tool errors (skipped without ../shared/data/tau)',
  async () => {
    const { status, last, stdout } = await checkTau('--data', DATA, '--json');
    expect(JSON.parse(last), stdout).toEqual({
      tasks: 135,
      right: 135,
      writes: 198,
      duplicated: 0,
      lost: 0,
      escalated: 0,
      kills: 0,
    });
    expect(status).toBe(0);
  },
  600_000,
);
