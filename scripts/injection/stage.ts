import { ambit } from '../../src/compose.ts';
import type { AgentSpec } from '../../src/model/agent.ts';
import type { ApprovalMode } from '../../src/model/approval-mode.ts';
import { defaultGates } from '../../src/model/default-gates.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Plan, PlanStep } from '../../src/model/plan.ts';
import { NO_COST, type ToolSpec } from '../../src/model/tool.ts';
import type { BoundTool } from '../../src/ports/bound-tool.ts';
import type { RunOutcome } from '../../src/session/outcome.ts';
import { SUITE_AGENT, SUITE_INTENT, suiteAgent } from '../suites/suite-agent.ts';
import { FINISH, READER, type Wanted } from './calls.ts';
import type { Policy } from './policies.ts';
import type { Suite, SuiteTool } from './suites.ts';

/** What happens behind and before the tools while a run goes on. */
export interface Scene {
  readonly statement: string;
  /** What was read before this run, if anything: somebody else's words. */
  readonly soFar: string | null;
  /** Turn by turn, what the planner wants. */
  readonly plans: readonly (readonly Wanted[])[];
  dispatch(stepId: string, tool: SuiteTool, args: JsonObject): Json;
  /** What the person at the gate says to exactly this call. */
  decide(stepId: string, tool: SuiteTool, args: JsonObject): 'approve' | 'reject';
}

/** An agent with the tools of one suite under one policy. One run at a time. */
export interface Stage {
  play(scene: Scene): Promise<RunOutcome>;
  /** How many calls the requester's own word let through in a run. */
  granted(runId: string): Promise<number>;
}

const TENANT = 'bench';
const SO_FAR = 'so_far';
const YEAR_3000_MS = 32_503_680_000_000;

export function openStage({ tools }: Suite, policy: Policy): Stage {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  let scene: Scene | null = null;
  const onStage = (): Scene => {
    if (scene === null) throw new Error('nothing is played');
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
        if (wanted === undefined) throw new Error(`there is no plan ${attempt}`);
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
        const packet = await runtime.packet(packetHash);
        const args = packet['parameters'] as JsonObject;
        const decision = played.decide(String(packet['step_id']), toolNamed(String(packet['action'])), args);
        const credential = { kind: 'local_operator', name: 'approver' } as const;
        outcome = await runtime[decision](gateId, { packetHash, credential, reason: 'as asked for, or not' });
      }
      return outcome;
    },
    granted: async (runId) => {
      const events = (await runtime.frames(runId)).flatMap((frame) => JSON.parse(frame.events) as JsonObject[]);
      return events.filter(({ type, granted }) => type === 'step_cleared' && granted !== undefined).length;
    },
  };
}

function readingOf({ plans }: Scene, stepId: string): Json {
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
    // As `tool()` would declare it: these tools have no rules of a category.
    gates: defaultGates(mode, { category: 'live_api', rules: undefined }),
    produces: [],
    needs: [],
    // An equal change soon after the first would wait for a person, and that is another bound than the one measured here.
    idempotency: { kind: 'natural' },
    timeout_ms: 10_000,
    retries_max: 0,
    cost: NO_COST,
    ...changes,
  };
}

const requestOf = ({ statement, soFar }: Scene): JsonObject => ({
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

/** No task comes near these: what is measured is the gates. */
const CAPS: AgentSpec['budget']['overrides'] = {
  steps_max: 500,
  tool_calls_max: 500,
  external_api_calls_max: 500,
  input_tokens_max: 1_000_000,
  output_tokens_max: 1_000_000,
  wall_clock_seconds_max: 3600,
  side_effects_max: 500,
};
