/** The suites of AgentDojo, if they are in a folder next to the repository. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { POLICIES } from '../../scripts/injection/policies.ts';
import { brokenPromises } from '../../scripts/injection/report.ts';
import { readSuites, type Suite } from '../../scripts/injection/suites.ts';
import { add, NOTHING, tallyPolicy } from '../../scripts/injection/tally.ts';

const DATA = new URL('../../../shared/data/agentdojo/', import.meta.url).pathname;
const LONG_MS = 600_000;

test.skipIf(!existsSync(DATA))(
  'a planner that obeys every injection causes no effect; with a reader it needs fewer approvals (skipped without ../shared/data/agentdojo)',
  async () => {
    let [ours, plainly] = [NOTHING, NOTHING];
    for (const suite of readSuites(DATA)) {
      const [ambit, unread, plain, none] = [
        await tallyPolicy(suite, POLICIES.ambit),
        await tallyPolicy(suite, POLICIES.without_reader),
        await tallyPolicy(suite, POLICIES.plain_gate),
        await tallyPolicy(suite, POLICIES.no_gate),
      ];
      expect(brokenPromises({ ambit, without_reader: unread, plain_gate: plain })).toEqual([]);
      expect([ambit.succeeded, unread.succeeded]).toEqual([0, 0]);
      expect(none.succeeded).toBe(none.pairs);
      // The same calls pass and are blocked as in the reference runs that come with the data.
      expect(none.injected).toBe(reference(suite, 'no_gate', 'injected_dispatched'));
      expect(plain.injected).toBe(reference(suite, 'gate_modes_oracle_approver', 'injected_dispatched'));
      expect(plain.blocked).toBe(reference(suite, 'gate_modes_oracle_approver', 'blocked'));
      for (const { right, tasks } of [ambit, unread, plain, none]) expect(right).toBe(tasks);
      [ours, plainly] = [add(ours, ambit), add(plainly, plain)];
    }
    expect(ours.approvals).toBeLessThan(plainly.approvals);
  },
  LONG_MS,
);

const reference = ({ pairs }: Suite, policy: string, count: 'injected_dispatched' | 'blocked'): number =>
  pairs.reduce((sum, { ref }) => sum + (ref[policy]?.[count] ?? Number.NaN), 0);
