import type { AgentSpec } from '../../src/model/agent.ts';
import { canonicalize } from '../../src/model/canonical.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Plan, PlanStep } from '../../src/model/plan.ts';
import { NO_COST, type ToolSpec } from '../../src/model/tool.ts';
import type { Planner, PlanRequest } from '../../src/ports/planner.ts';
import { SUITE_AGENT, SUITE_INTENT, suiteAgent } from '../suites/suite-agent.ts';
import type { Action, Task } from './suite.ts';
import { actionOf, FINISH, stepOf } from './tools.ts';

const YEAR_3000_MS = 32_503_680_000_000;

/** Asks for a task, or for what is left of it from a call on. */
export const requestFor = (realm: string, task: Task, from: number): JsonObject => ({
  mode: 'standard',
  tenant_id: realm,
  agent: SUITE_AGENT,
  intent: SUITE_INTENT,
  goal: { statement: task.instruction },
  inputs: { realm, from },
  identity: { actor: 'user', tenant_id: realm, roles: ['user'], scopes: ['all'], expires_at: YEAR_3000_MS },
});

/**
 * Plans the recorded calls in their order. It does not know which of them will fail: what has failed is left behind, and
 * the rest is planned anew. It keeps nothing in mind, so it plans the same after a crash as before.
 */
export function recordedPlanner(taskOf: (realm: string) => Task, reached: (point: string) => void): Planner {
  return {
    propose: async (request) => {
      reached('planning');
      const proposal = planFor(request, taskOf(String(request.inputs['realm'])));
      return { proposal, author: 'host', spent: NO_COST, contextTokens: 0 };
    },
  };
}

/** What the gateway held back has not failed, and is still to be done. */
const NEVER_SENT = /^not sent\b/;

function planFor({ done, reason, inputs, attempt, tools }: PlanRequest, { actions }: Task): Plan {
  const failed = reason?.step_id == null || NEVER_SENT.test(reason.message) ? -1 : actionOf(reason.step_id);
  const behind = Math.max(Number(inputs['from']) - 1, failed, ...done.map(({ step }) => actionOf(step.id)));
  const gates = new Map(tools.map((tool: ToolSpec) => [tool.name, tool.gates]));
  const steps: PlanStep[] = [];
  const add = (id: string, tool: string, params: JsonObject): void => {
    const before = steps.at(-1);
    const requires = gates.get(tool) ?? [];
    // Where one call has just failed the next may fail as well, and nothing is to wait for it then.
    const optional = before === undefined && failed >= 0 && tool !== FINISH;
    const waits = before === undefined || before.optional === true ? {} : { depends_on: [before.id] };
    steps.push({ id, tool, params, requires, ...waits, ...(optional ? { optional } : {}) });
  };
  for (const [place, { name, kwargs }] of actions.entries()) {
    if (place > behind && !isWorn(actions, place)) add(stepOf(place), name, kwargs);
  }
  add('finish', FINISH, {});
  return { plan_id: `plan_${attempt}`, intent: SUITE_INTENT, steps, decision_checkpoints: [] };
}

/** The fourth look at the same thing would be taken for a loop, and nobody needs it. */
const LOOKS_MAX = 3;

function isWorn(actions: readonly Action[], place: number): boolean {
  const action = actions[place];
  if (action === undefined || action.state_patch.length > 0) return false;
  const same = (other: Action): boolean =>
    other.name === action.name && canonicalize(other.kwargs) === canonicalize(action.kwargs);
  return actions.slice(0, place).filter(same).length >= LOOKS_MAX;
}

export const agentWith = (tools: readonly string[]): AgentSpec =>
  suiteAgent({ name: 'tau', tools, caps: CAPS, requestGrants: 'none' });

/** No task comes near these, however often its process is killed: what is measured is what becomes of its calls. */
const CAPS: AgentSpec['budget']['overrides'] = {
  steps_max: 1_000,
  tool_calls_max: 1_000,
  external_api_calls_max: 1_000,
  input_tokens_max: 1_000_000,
  output_tokens_max: 1_000_000,
  wall_clock_seconds_max: 86_400,
  side_effects_max: 1_000,
  replan_attempts_max: 100,
  replan_rationale: 'every recorded error is planned around once',
};
