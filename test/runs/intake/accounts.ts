/** A request with two readings, lock or delete an account, that differ in plan and risk. */
import type { AmbitOptions } from '../../../src/agent/options.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { GoalRequest } from '../../../src/model/run/run-request.ts';
import { templatePlanner } from '../../../src/roles/template-planner.ts';
import { agentFor, planOf, toolSpec } from '../rig.ts';

export const CLOSE_IT: GoalRequest & JsonObject = {
  statement: 'Close the account of the customer',
  acceptance_criteria: [{ id: 'closed', statement: 'It is closed.', rank: 'primary', evidence: 'done' }],
};

/** `sent` collects the name of every tool that is called. */
export function accountAgent(sent: string[]): Pick<AmbitOptions, 'agent' | 'tools' | 'planner'> {
  const base = agentFor(['lock', 'delete']);
  const [work] = base.intents;
  if (work === undefined) throw new Error('no intent');
  const tool = (name: string) => ({
    spec: toolSpec(name, { produces: ['done'] }),
    execute: () => {
      sent.push(name);
      return { ok: true };
    },
  });
  return {
    agent: {
      ...base,
      intents: [
        { ...work, intent: 'lock_account', description: 'Close the account to the customer for a while' },
        { ...work, intent: 'delete_account', description: 'Close the account of the customer for good', risk: 'high' },
      ],
    },
    tools: [tool('lock'), tool('delete')],
    planner: templatePlanner({
      lock_account: planOf([{ id: 'a', tool: 'lock' }], { plan_id: 'plan_lock' }),
      delete_account: planOf([{ id: 'a', tool: 'delete' }], { plan_id: 'plan_delete' }),
    }),
  };
}
