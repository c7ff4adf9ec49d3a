/** A decision that races a resume is recorded once and takes effect, in whichever order the store serves the two. */
import { expect, test } from 'vitest';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { countingIds, operator, REQUEST, type Rig, rig, START_MS } from '../rig.ts';
import { holdPoints } from './hold-points.ts';
import { PAYING } from './paying-run.ts';

const SEEDS = Array.from({ length: 30 }, (_, at) => at + 1);

/** Who holds the run when the race begins. */
type Opener = 'gone' | 'alive';

interface Raced {
  readonly first: Rig;
  readonly second: Rig;
  readonly yes: Parameters<Rig['runtime']['approve']>;
  readonly race: ReturnType<typeof holdPoints>['race'];
}

/** A run that waits at its gate, and two processes on its store. With an opener that is alive, it is the first. */
async function waitingRun(seed: number, opener: Opener): Promise<Raced> {
  const disk = memoryDisk();
  const clock = simulatedClock(START_MS);
  const { hold, race } = holdPoints(seed, clock);
  const another = (name: string): Rig => {
    const ids = countingIds();
    const next = (prefix: string): string => ids.next(prefix === 'run' ? prefix : `${prefix}_${name}`);
    const journal = hold(memoryJournal({ hash: sha256, disk }));
    return rig({ ...PAYING, world: { journal, clock, timer: clock, ids: { next } } });
  };
  const zeroth = another('zeroth');
  const { pending } = await zeroth.runtime.invoke(REQUEST);
  const [gate] = pending;
  if (gate === undefined) throw new Error('the run opened no gate');
  if (opener === 'gone') await zeroth.runtime.close();
  const yes: Raced['yes'] = [gate.gateId, { packetHash: gate.packetHash, credential: operator('bo'), reason: 'fine' }];
  return { first: opener === 'alive' ? zeroth : another('first'), second: another('second'), yes, race };
}

/** A resume either shares the result, or reports which process drives the run. */
function expectResumed(result: PromiseSettledResult<unknown> | undefined): void {
  if (result?.status === 'rejected') expect(result.reason).toMatchObject({ code: 'session_driven' });
}

async function expectPaidOnce({ first, second }: Raced): Promise<void> {
  const paid = [...first.dispatches, ...second.dispatches].filter(({ tool }) => tool === 'pay');
  expect(paid).toHaveLength(1);
  const events = await first.events('run_1');
  expect(events.filter(({ type }) => type === 'gate_decided')).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: 'run_terminated', code: 'SUCCESS' });
  await second.runtime.records.replay('run_1');
}

test.each(SEEDS)('approve and resume in one process, in the order of seed %i', async (seed) => {
  for (const opener of ['gone', 'alive'] as const) {
    const raced = await waitingRun(seed, opener);
    const {
      first: { runtime },
      yes,
      race,
    } = raced;
    const [approved, resumed] = await race([() => runtime.approve(...yes), () => runtime.resume('run_1')]);
    expect(approved).toMatchObject({ status: 'fulfilled', value: { terminalCode: 'SUCCESS' } });
    expect(resumed).toMatchObject({ status: 'fulfilled' });
    await expectPaidOnce(raced);
  }
});

test.each(SEEDS)('approve in one process and resume in another, in the order of seed %i', async (seed) => {
  for (const opener of ['gone', 'alive'] as const) {
    for (const approver of ['first', 'second'] as const) {
      const raced = await waitingRun(seed, opener);
      const resumer = approver === 'first' ? 'second' : 'first';
      const [approved, resumed] = await raced.race([
        () => raced[approver].runtime.approve(...raced.yes),
        () => raced[resumer].runtime.resume('run_1'),
      ]);
      expect(approved).toMatchObject({ status: 'fulfilled' });
      expectResumed(resumed);
      await expectPaidOnce(raced);
    }
  }
});

test.each(SEEDS)('the same yes twice and two resumes, in the order of seed %i', async (seed) => {
  const raced = await waitingRun(seed, 'gone');
  const { first, second, yes, race } = raced;
  const [here, there, ...resumes] = await race([
    () => first.runtime.approve(...yes),
    () => second.runtime.approve(...yes),
    () => first.runtime.resume('run_1'),
    () => second.runtime.resume('run_1'),
  ]);
  const refused = [here, there].filter((result) => result?.status === 'rejected');
  expect(refused).toMatchObject([{ reason: { code: expect.stringMatching(/^(gate_closed|session_terminal)$/) } }]);
  for (const resumed of resumes) expectResumed(resumed);
  await expectPaidOnce(raced);
});
