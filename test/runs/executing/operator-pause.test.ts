/**
 * Tests the operator pause: nothing new starts, a call in flight may finish, and the actor of the run cannot resume it.
 */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, REQUEST, rig } from '../rig.ts';
import { waitForEvent } from './wait-for-event.ts';

verifies(
  'session:state:operator-pause',
  'a pause during s2 keeps s3 from starting until an operator resumes',
  async () => {
    const reached = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<{ ok: true }>();
    const bench = rig({
      tools: {
        read: {},
        slow: {
          execute: () => {
            reached.resolve();
            return answer.promise;
          },
        },
        finish: { produces: ['done'] },
      },
      plans: [
        planOf([
          { id: 's1', tool: 'read' },
          { id: 's2', tool: 'slow', depends_on: ['s1'] },
          { id: 's3', tool: 'finish', depends_on: ['s2'] },
        ]),
      ],
    });
    const resting = bench.runtime.invoke(REQUEST);
    await reached.promise;
    const pausing = bench.runtime.sessions.send('run_1', { type: 'run_paused', cause: 'operator', by: 'ops_1' });
    await waitForEvent(bench, 'run_paused');
    answer.resolve({ ok: true });
    await pausing;
    const paused = await resting;
    expect(paused).toMatchObject({ status: 'paused', authority: 'operator' });
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['read', 'slow']);
    const { state } = await bench.runtime.records.replay('run_1');
    expect(state.session.pause).toMatchObject({ cause: 'operator', by: 'ops_1' });

    const stranger = { type: 'run_resumed', by: 'someone', operator: false };
    await expect(bench.runtime.sessions.send('run_1', stranger)).rejects.toMatchObject({
      code: 'operator_approval_required',
    });
    const own = { type: 'run_resumed', by: 'agt_worker', operator: true };
    await expect(bench.runtime.sessions.send('run_1', own)).rejects.toMatchObject({ code: 'permission_denied' });
    for (const by of ['', 'Ana Lee', undefined]) {
      const unnamed = bench.runtime.sessions.send('run_1', { type: 'run_resumed', by, operator: true });
      await expect(unnamed).rejects.toMatchObject({ code: 'operator_approval_required' });
    }
    expect(await bench.runtime.sessions.get('run_1')).toMatchObject({ status: 'paused' });
    const done = await bench.runtime.sessions.send('run_1', { type: 'run_resumed', by: 'ops_1', operator: true });
    expect(done.terminalCode).toBe('SUCCESS');
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['read', 'slow', 'finish']);
  },
);
