/** Tests that identical subtasks are merged. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf } from '../rig.ts';
import { eventsOf, proposed, turns } from './turns.ts';

verifies(
  'pathology:redundant-decomposition:same-subtask-hash',
  'merges two identical subtasks and redirects dependencies on the second',
  () => {
    const run = turns({ tools: { finish: { produces: ['done'] } } });
    const same = { goal: 'collect the invoices', completion_criteria: ['all are there'], depth: 1 };
    const plan = planOf([{ id: 'a', tool: 'finish' }], {
      subtasks: [
        { id: 't1', ...same },
        { id: 't2', ...same },
        { id: 't3', goal: 'add them up', completion_criteria: ['a sum'], depends_on: ['t2'], depth: 1 },
      ],
    });
    run.say(proposed(plan));
    const subtasks = [{ id: 't1' }, { id: 't3', depends_on: ['t1'] }];
    expect(eventsOf(run.events, 'plan_verified')).toMatchObject([{ verdict: 'ok', plan: { subtasks } }]);
    expect(eventsOf(run.events, 'plan_verified')[0]?.plan?.subtasks).toHaveLength(2);
    expect(run.state.planning.active?.plan.subtasks).toMatchObject(subtasks);
  },
);
