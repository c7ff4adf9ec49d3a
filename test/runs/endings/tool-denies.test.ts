/** Tests that a denial by a tool counts as a missing permission, not as a failure of the tool. */
import { expect } from 'vitest';
import { Fault } from '../../../src/model/fault/fault.ts';
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

verifies(ID, 'continues with another tool that permits the call', async () => {
  const trying = bench([reading, planOf([{ id: 'a', tool: 'open' }], { plan_id: 'plan_2' })], 1);
  expect(await trying.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(trying.dispatches.map(({ tool }) => tool)).toEqual(['vault', 'open']);
});

verifies(ID, 'ends with PERMISSION_DENIED if no plan is left, and trips no breaker', async () => {
  const trying = bench([reading], 0);
  const { runId, terminalCode } = await trying.invoke();
  expect(terminalCode).toBe('PERMISSION_DENIED');
  expect(eventsOf(await trying.events(runId), 'run_escalated')).toMatchObject([
    { escalation: { trigger: 'permission_denied', route: 'fail_closed' } },
  ]);
  expect(trying.dispatches).toHaveLength(1);
  expect(trying.runtime.agents.breakers()).toEqual([]);
});
