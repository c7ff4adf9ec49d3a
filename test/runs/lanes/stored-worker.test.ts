/** Tests that a stored run of a lane's worker acts only in its lane. */
import { expect, test } from 'vitest';
import { CONTINUING, storedWorker } from '../../attacks/stored-worker.ts';

test.each(CONTINUING)('a stored run of a worker without its lane is not continued by %s', async (_, act) => {
  expect(await storedWorker(act)).toEqual({
    said: expect.stringContaining('run_1 is a run of boss/do_pay outside its lane'),
    called: [],
    ended: 'USER_CANCEL',
  });
});
