/** A probe is a call like any other: whoever stops its tool stops it inside the append that would have sent it. */
import { expect, test } from 'vitest';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import type { Journal } from '../../../src/ports/journal.ts';
import { planOf, type Rig, type RigTool, rig, silent } from '../rig.ts';

const THROWN = {
  switch_id: 'switch_1',
  scope: { tool: 'look' },
  thrown: { by: 'ana', reason: 'it leaks', at: 1 },
  lifted: null,
};

/** Another process throws the switch on the probe while the answer of `pay` is being written down. */
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
  execute: silent,
  probes: { reconcile: 'look' },
  probing: { reconcile: { args: () => ({}) } },
};

test.each([
  ['looks whether a tool did what it says', VERIFIED],
  ['finds out what became of a call', LOST],
])('a probe that %s is not sent, and the run says who stopped it', async (_, pay) => {
  const bench = raced(pay);
  const run = await bench.invoke();
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['pay']);
  expect(run.terminalCode).not.toBe('SUCCESS');
  expect(JSON.stringify(await bench.events(run.runId))).toContain('thrown by ana, it leaks');
  await bench.runtime.replay(run.runId);
});
