/** The kernel holds a lane to the rights of its parent's identity, whichever assembly made the lane. */
import { beforeEach, expect, test } from 'vitest';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import type { SecurityToken } from '../../../src/model/run/identity.ts';
import { verifies } from '../../requirements/verifies.ts';
import { dispatched } from './bench.ts';
import { changeToken } from './change-token.ts';
import { openProcess } from './dying-processes.ts';

beforeEach(() => {
  dispatched.length = 0;
});

verifies(
  'lane:authority:held-to-parent',
  'the kernel refuses the call of a lane for which the identity of its parent has no authority',
  async () => {
    const disk = memoryDisk();
    const waiting = await openProcess(disk, true).invoke();
    // No role of the parent's identity permits destructive calls; the lane's token permits them all the same.
    changeToken(disk, waiting.runId, { approval_authority: 'delegated' });
    const rig = openProcess(disk, false);
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
    const waiting = await openProcess(disk, true).invoke();
    changeToken(disk, waiting.runId, change);
    const rig = openProcess(disk, false);
    await rig.approve(waiting);
    const [lane = ''] = await rig.lanes(waiting.runId);
    expect(dispatched).toEqual([]);
    const message = `${why}, beyond its parent ${waiting.runId}`;
    expect(await rig.of(lane, 'step_refused')).toMatchObject([{ code: 'approval_authority_exceeded', message }]);
  },
);

test('a lane within the rights of its parent makes its call', async () => {
  const disk = memoryDisk();
  const waiting = await openProcess(disk, true).invoke();
  changeToken(disk, waiting.runId, {});
  await openProcess(disk, false).approve(waiting);
  expect(dispatched.map(({ tool }) => tool)).toEqual(['pay']);
});
