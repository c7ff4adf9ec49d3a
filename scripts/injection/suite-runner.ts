import { ambit } from '../../src/compose.ts';
import type { ApprovalMode } from '../../src/model/gate/approval-mode.ts';
import { defaultGates } from '../../src/model/gate/default-gates.ts';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import type { Plan, PlanStep } from '../../src/model/plan/plan.ts';
import type { AgentSpec } from '../../src/model/run/agent.ts';
import type { RunRequest } from '../../src/model/run/run-request.ts';
import { NO_COST, type ToolSpec } from '../../src/model/tool/tool.ts';
import type { BoundTool } from '../../src/ports/bound-tool.ts';
import type { RunOutcome } from '../../src/session/outcome.ts';
import { SUITE_AGENT, SUITE_INTENT, suiteAgent } from '../suites/suite-agent.ts';
import { FINISH, READER, type Wanted } from './calls.ts';
import type { Policy } from './policies.ts';
import type { Suite, SuiteTool } from './suites.ts';

/** The plans, tools and approver of one run. */
export interface ScriptedRun {
  readonly statement: string;
  /** Untrusted content that was read before this run; null if there is none. */
  readonly soFar: string | null;
  /** The planner's steps, attempt by attempt. */
  readonly plans: readonly (readonly Wanted[])[];
  dispatch(stepId: string, tool: SuiteTool, args: JsonObject): Json;
  /** The approver's decision on exactly this call. */
  decide(stepId: string, tool: SuiteTool, args: JsonObject): 'approve' | 'reject';
}

/** An agent with the tools of one suite under one policy. It plays one run at a time. */
export interface SuiteRunner {
  play(scene: ScriptedRun): Promise<RunOutcome>;
  /** Number of calls of a run that the request itself permitted. */
  granted(runId: string): Promise<number>;
}

const TENANT = 'bench';
const SO_FAR = 'so_far';
const YEAR_3000_MS = 32_503_680_000_000;

export function openSuiteRunner({ tools }: Suite, policy: Policy): SuiteRunner {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  let scene: ScriptedRun | null = null;
  const onStage = (): ScriptedRun => {
    if (scene === null) throw new Error('no run is in progress');
    return scene;
  };
  const toolNamed = (name: string): SuiteTool => {
    const tool = byName.get(name);
    if (tool === undefined) throw new Error(`the suite has no tool ${name}`);
    return tool;
  };
  const bound = tools.map(
    (tool): BoundTool => ({
      spec: suiteSpec(tool, policy),
      execute: (args, { stepId }) => ({ result: onStage().dispatch(stepId, tool, args) }),
    }),
  );
  const reader: BoundTool = {
    spec: spec(READER, 'read_only', !policy.provenance, { output_schema: ANY }),
    execute: (_, { stepId }) => ({ value: readingOf(onStage(), stepId) }),
  };
  const finish: BoundTool = {
    spec: spec(FINISH, 'read_only', true, { produces: ['done'] }),
    execute: () => ({ done: true }),
  };
  const all = [...bound, reader, finish];
  const gates = new Map(all.map((tool) => [tool.spec.name, tool.spec.gates]));
  const runtime = ambit({
    agent: agentWith([...gates.keys()], policy),
    tools: all,
    planner: {
      propose: async ({ attempt }) => {
        const wanted = onStage().plans[attempt - 1];
        if (wanted === undefined) throw new Error(`no plan for attempt ${attempt}`);
        const last = attempt === onStage().plans.length;
        return { proposal: planOf(attempt, wanted, last, gates), author: 'model', spent: NO_COST, contextTokens: 0 };
      },
    },
  });
  return {
    play: async (played) => {
      scene = played;
      let outcome = await runtime.invoke(requestOf(played));
      for (let gate = outcome.pending[0]; gate !== undefined; gate = outcome.pending[0]) {
        const { gateId, packetHash } = gate;
        const packet = await runtime.gates.packet(packetHash);
        const args = packet['parameters'] as JsonObject;
        const decision = played.decide(String(packet['step_id']), toolNamed(String(packet['action'])), args);
        const credential = { kind: 'local_operator', name: 'approver' } as const;
        outcome = await runtime.gates[decision](gateId, {
          packetHash,
          credential,
          reason: 'compared with the recorded calls',
        });
      }
      return outcome;
    },
    granted: async (runId) => {
      const events = (await runtime.records.frames(runId)).flatMap((frame) => JSON.parse(frame.events) as JsonObject[]);
      return events.filter(({ type, granted }) => type === 'step_cleared' && granted !== undefined).length;
    },
  };
}

function readingOf({ plans }: ScriptedRun, stepId: string): Json {
  return plans.flat().find((wanted) => wanted.stepId === stepId)?.reading ?? null;
}

function planOf(
  attempt: number,
  wanted: readonly Wanted[],
  last: boolean,
  gates: ReadonlyMap<string, readonly string[]>,
): Plan {
  const steps: PlanStep[] = [];
  for (const { stepId, tool, params } of [
    ...wanted,
    ...(last ? [{ stepId: 'finish', tool: FINISH, params: {} }] : []),
  ]) {
    const requires = gates.get(tool) ?? [];
    const before = steps.at(-1);
    steps.push({ id: stepId, tool, params, requires, ...(before === undefined ? {} : { depends_on: [before.id] }) });
  }
  return { plan_id: `plan_${attempt}`, intent: 'serve', steps, decision_checkpoints: [] };
}

const ANY: JsonObject = { type: 'object' };

function suiteSpec(tool: SuiteTool, policy: Policy): ToolSpec {
  const { name, description, input_schema } = tool;
  return spec(name, policy.mode(tool), !policy.provenance, {
    description: description === '' ? name : description,
    input_schema,
    // The names of the tools begin with their verb: `send_email`.
    hazards: { request_words: [name.split('_')[0] ?? name] },
  });
}

function spec(name: string, mode: ApprovalMode, trusted: boolean, changes: Partial<ToolSpec>): ToolSpec {
  const changing = mode !== 'read_only';
  return {
    name,
    version: '1',
    description: name,
    approval_mode: mode,
    category: 'live_api',
    input_schema: ANY,
    output_schema: ANY,
    active: true,
    external: false,
    side_effect: changing,
    trusted,
    // The gates that `tool()` would declare; these tools have no category rules.
    gates: defaultGates(mode, { category: 'live_api', rules: undefined }),
    produces: [],
    needs: [],
    // Otherwise a repeated change would wait for a person, which is not what this benchmark measures.
    idempotency: { kind: 'natural' },
    timeout_ms: 10_000,
    retries_max: 0,
    cost: NO_COST,
    ...changes,
  };
}

const requestOf = ({ statement, soFar }: ScriptedRun): RunRequest => ({
  mode: 'standard',
  tenant_id: TENANT,
  agent: SUITE_AGENT,
  intent: SUITE_INTENT,
  goal: { statement },
  ...(soFar === null ? {} : { inputs: { [SO_FAR]: soFar } }),
  identity: { actor: 'user', tenant_id: TENANT, roles: ['user'], scopes: ['all'], expires_at: YEAR_3000_MS },
});

const agentWith = (tools: readonly string[], { provenance }: Policy): AgentSpec =>
  suiteAgent({
    name: 'injection',
    tools,
    caps: CAPS,
    requestGrants: provenance ? 'stated' : 'none',
    observations: provenance ? { untrusted_inputs: [SO_FAR] } : {},
  });

/** Far above the needs of any task, because the benchmark measures gates. */
const CAPS: AgentSpec['budget']['overrides'] = {
  steps_max: 500,
  tool_calls_max: 500,
  external_api_calls_max: 500,
  input_tokens_max: 1_000_000,
  output_tokens_max: 1_000_000,
  wall_clock_seconds_max: 3600,
  side_effects_max: 500,
};
