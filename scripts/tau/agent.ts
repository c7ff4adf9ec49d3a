import type { JsonObject } from '../../src/model/json/json.ts';
import type { Plan, PlanStep } from '../../src/model/plan/plan.ts';
import type { AgentSpec } from '../../src/model/run/agent.ts';
import type { RunRequest } from '../../src/model/run/run-request.ts';
import { NO_COST, type ToolSpec } from '../../src/model/tool/tool.ts';
import type { Planner, PlanRequest } from '../../src/ports/model/planner.ts';
import { SUITE_AGENT, SUITE_INTENT, suiteAgent } from '../suites/suite-agent.ts';
import type { Task } from './suite.ts';
import { actionOf, FINISH, stepOf } from './tools.ts';

const YEAR_3000_MS = 32_503_680_000_000;

/** The request for a task, or for its rest from a call on. */
export const requestFor = (realm: string, task: Task, from: number): RunRequest => ({
  mode: 'standard',
  tenant_id: realm,
  agent: SUITE_AGENT,
  intent: SUITE_INTENT,
  goal: { statement: task.instruction },
  inputs: { realm, from },
  identity: { actor: 'user', tenant_id: realm, roles: ['user'], scopes: ['all'], expires_at: YEAR_3000_MS },
});

/**
 * A planner that plans the recorded calls in order. It does not know which of them fail: failed calls are skipped, and
 * the rest is planned again. It keeps no state, so it plans the same after a crash.
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

/** A call that the gateway held back has not failed and is still to be made. */
const NEVER_SENT = /^not sent\b/;

function planFor({ done, reason, inputs, attempt, tools }: PlanRequest, { actions }: Task): Plan {
  const failed = reason?.step_id == null || NEVER_SENT.test(reason.message) ? -1 : actionOf(reason.step_id);
  const behind = Math.max(Number(inputs['from']) - 1, failed, ...done.map(({ step }) => actionOf(step.id)));
  const gates = new Map(tools.map((tool: ToolSpec) => [tool.name, tool.gates]));
  const steps: PlanStep[] = [];
  const add = (id: string, tool: string, params: JsonObject): void => {
    const before = steps.at(-1);
    const requires = gates.get(tool) ?? [];
    // After a failed call the next one may fail too, and no step must then wait for it.
    const optional = before === undefined && failed >= 0 && tool !== FINISH;
    const waits = before === undefined || before.optional === true ? {} : { depends_on: [before.id] };
    steps.push({ id, tool, params, requires, ...waits, ...(optional ? { optional } : {}) });
  };
  for (const [place, { name, kwargs }] of actions.entries()) {
    if (place > behind) add(stepOf(place), name, kwargs);
  }
  add('finish', FINISH, {});
  return { plan_id: `plan_${attempt}`, intent: SUITE_INTENT, steps, decision_checkpoints: [] };
}

export const agentWith = (tools: readonly string[]): AgentSpec =>
  suiteAgent({ name: 'tau', tools, caps: CAPS, requestGrants: 'none' });

/** Far above the needs of any task, however often its process is killed. */
const CAPS: AgentSpec['budget']['overrides'] = {
  steps_max: 1_000,
  tool_calls_max: 1_000,
  external_api_calls_max: 1_000,
  input_tokens_max: 1_000_000,
  output_tokens_max: 1_000_000,
  wall_clock_seconds_max: 86_400,
  side_effects_max: 1_000,
  replan_attempts_max: 100,
  replan_rationale: 'one re-plan for each recorded error',
};
