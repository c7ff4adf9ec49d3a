/** A tool that turns its caller away has not failed: what is missing is a permission, and the ending says so. */
import { expect } from 'vitest';
import { Fault } from '../../../src/model/fault.ts';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, rig } from '../rig.ts';
import { eventsOf } from './turns.ts';

const ID = 'terminate:permission-denied:block-then-alternative';
const turnsAway = () => Promise.reject(new Fault('permission_denied', 'this account may not read that'));
const reading = planOf([{ id: 'a', tool: 'vault' }]);

const bench = (plans: readonly unknown[], replans: number) =>
  rig({
    tools: { vault: { produces: ['done'], execute: turnsAway }, open: { produces: ['done'] } },
    plans,
    caps: { ...CAPS, replan_attempts_max: replans },
  });

verifies(ID, 'turned away by a tool, with a permitted one beside it: the run goes on by that', async () => {
  const trying = bench([reading, planOf([{ id: 'a', tool: 'open' }], { plan_id: 'plan_2' })], 1);
  expect(await trying.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(trying.dispatches.map(({ tool }) => tool)).toEqual(['vault', 'open']);
});

verifies(ID, 'turned away by a tool, with no plan left: PERMISSION_DENIED, and not a failure of the tool', async () => {
  const trying = bench([reading], 0);
  const { runId, terminalCode } = await trying.invoke();
  expect(terminalCode).toBe('PERMISSION_DENIED');
  expect(eventsOf(await trying.events(runId), 'run_escalated')).toMatchObject([
    { escalation: { trigger: 'permission_denied', route: 'fail_closed' } },
  ]);
  expect(trying.dispatches).toHaveLength(1);
  expect(trying.runtime.breakers()).toEqual([]);
});
