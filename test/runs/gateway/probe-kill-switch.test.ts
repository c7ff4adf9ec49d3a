/** Tests that a kill switch on a probe takes effect inside the append that would have sent the probe. */
import { expect, test } from 'vitest';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { neverAnswers, planOf, type Rig, type RigTool, rig } from '../rig.ts';

const THROWN = {
  switch_id: 'switch_1',
  scope: { tool: 'look' },
  thrown: { by: 'ana', reason: 'it leaks', at: 1 },
  lifted: null,
};

/** A run in which another process throws the switch on the probe while the answer of `pay` is appended. */
function raced(pay: RigTool): Rig {
  const disk = memoryDisk();
  const elsewhere = memoryJournal({ hash: sha256, disk });
  const own = memoryJournal({ hash: sha256, disk });
  let thrown = false;
  const journal: Journal = {
    ...own,
    append: async (append) => {
      if (!thrown && append.frame.events.includes('"step_observed"')) {
        thrown = true;
        await elsewhere.throwSwitch(THROWN);
      }
      await own.append(append);
    },
  };
  return rig({
    tools: { pay: { side_effect: true, approval_mode: 'local_write', produces: ['done'], ...pay }, look: {} },
    plans: [planOf([{ id: 's1', tool: 'pay' }])],
    world: { journal },
  });
}

const VERIFIED: RigTool = {
  probes: { verify: 'look' },
  probing: { verify: { args: () => ({}), expect: () => true } },
};
const LOST: RigTool = {
  idempotency: { kind: 'none' },
  timeout_ms: 1_000,
  retries_max: 0,
  execute: neverAnswers,
  probes: { reconcile: 'look' },
  probing: { reconcile: { args: () => ({}) } },
};

test.each([
  ['verifies a result', VERIFIED],
  ['reconciles a lost call', LOST],
])('a probe that %s is not sent, and the run records who stopped it', async (_, pay) => {
  const bench = raced(pay);
  const run = await bench.invoke();
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['pay']);
  expect(run.terminalCode).not.toBe('SUCCESS');
  expect(JSON.stringify(await bench.events(run.runId))).toContain('thrown by ana, it leaks');
  await bench.runtime.records.replay(run.runId);
});
