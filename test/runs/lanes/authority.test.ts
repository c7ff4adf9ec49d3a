/** The kernel holds a lane to the rights of its parent's identity, whichever assembly made the lane. */
import { beforeEach, expect, test } from 'vitest';
import { type MemoryDisk, memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { GENESIS, sealFrame } from '../../../src/model/events/frame.ts';
import type { SecurityToken } from '../../../src/model/run/identity.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';
import { verifies } from '../../requirements/verifies.ts';
import { START_MS } from '../rig.ts';
import { dispatched, type LaneRig, laneRig } from './bench.ts';
import { payingBoss } from './paying-boss.ts';

beforeEach(() => {
  dispatched.length = 0;
});

const process = (disk: MemoryDisk, plans: boolean): LaneRig =>
  laneRig([payingBoss(plans)], { journal: memoryJournal({ hash: sha256, disk }), clock: simulatedClock(START_MS) });

/**
 * Changes the token in the record of a run and seals its frames again. The run and its lane then have tokens of two
 * assemblies, as if the narrowing of the lane's token had been left out.
 */
function changeToken(disk: MemoryDisk, runId: string, change: Partial<SecurityToken>): void {
  let prev: Parameters<typeof sealFrame>[0]['prev'] = GENESIS;
  const frames = (disk.frames.get(runId) ?? []).map((frame) => {
    const events = (JSON.parse(frame.events) as { type: string; token?: SecurityToken }[]).map((event) =>
      event.type === 'scope_resolved' ? { ...event, token: { ...event.token, ...change } } : event,
    );
    const sealed = sealFrame({ ...frame, events: JSON.stringify(events), prev }, sha256);
    prev = sealed.hash;
    return sealed;
  });
  const row = disk.sessions.get(runId);
  if (row === undefined || prev === GENESIS) throw new Error(`there is no run ${runId}`);
  disk.frames.set(runId, frames);
  disk.sessions.set(runId, { ...row, head_hash: prev });
}

verifies(
  'lane:authority:held-to-parent',
  'the kernel refuses the call of a lane for which the identity of its parent has no authority',
  async () => {
    const disk = memoryDisk();
    const waiting = await process(disk, true).invoke();
    // No role of the parent's identity permits destructive calls; the lane's token permits them all the same.
    changeToken(disk, waiting.runId, { approval_authority: 'delegated' });
    const rig = process(disk, false);
    await rig.approve(waiting);
    const [lane = ''] = await rig.lanes(waiting.runId);
    expect(dispatched).toEqual([]);
    expect(await rig.of(lane, 'step_refused')).toMatchObject([
      { step_id: 'p', layer: 'infrastructure', code: 'approval_authority_exceeded' },
    ]);
    expect(await rig.runtime.sessions.get(lane)).toMatchObject({
      terminalCode: 'PERMISSION_DENIED',
      reason: 'approval_authority_exceeded',
    });
  },
);

test.each([
  ['a tool that its parent may not use', { allowed_tools: ['do_pay'] }, 'the lane may use pay'],
  ['a role that its parent lacks', { roles: [] }, 'the lane has the role worker'],
] satisfies readonly (readonly [string, Partial<SecurityToken>, string])[])(
  'refuses a lane with %s',
  async (_, change, why) => {
    const disk = memoryDisk();
    const waiting = await process(disk, true).invoke();
    changeToken(disk, waiting.runId, change);
    const rig = process(disk, false);
    await rig.approve(waiting);
    const [lane = ''] = await rig.lanes(waiting.runId);
    expect(dispatched).toEqual([]);
    const message = `${why}, beyond its parent ${waiting.runId}`;
    expect(await rig.of(lane, 'step_refused')).toMatchObject([{ code: 'approval_authority_exceeded', message }]);
  },
);

test('a lane within the rights of its parent makes its call', async () => {
  const disk = memoryDisk();
  const waiting = await process(disk, true).invoke();
  changeToken(disk, waiting.runId, {});
  await process(disk, false).approve(waiting);
  expect(dispatched.map(({ tool }) => tool)).toEqual(['pay']);
});
