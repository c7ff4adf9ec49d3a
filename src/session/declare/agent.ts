import { type AgentAccess, type AgentSpec, parseAgent } from '../../model/agent.ts';
import type { Boundary } from '../../model/boundary.ts';
import type { DecisionSpec } from '../../model/decision.ts';
import { Fault } from '../../model/fault.ts';
import type { AcceptanceCriterion } from '../../model/goal.ts';
import type { IntentSpec } from '../../model/intent.ts';
import { pointerToken } from '../../model/pointer.ts';
import { printable } from '../../model/printable.ts';
import type { RiskClass } from '../../model/risk.ts';
import type { RiskProfileName } from '../../model/risk-profile.ts';
import type { ToolSpec } from '../../model/tool.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';
import type { Planner } from '../../ports/planner.ts';
import { type BudgetOptions, budgetOf } from './budget.ts';
import { profileBoundary } from './profile-boundary.ts';

type CriterionOptions = Omit<AcceptanceCriterion, 'rank'> & Partial<Pick<AcceptanceCriterion, 'rank'>>;

/** A kind of request the agent takes. */
export interface IntentOptions {
  readonly intent: string;
  readonly description: string;
  readonly risk?: RiskClass;
  readonly taskClass?: string;
  readonly modality?: string;
  readonly capability?: string;
  /** What comes of such a request is withheld until a reviewer of compliance releases it. */
  readonly regulated?: boolean;
  /** What counts as done, and the evidence that shows it. A criterion is primary unless it says otherwise. */
  readonly criteria: readonly CriterionOptions[];
}

export interface AgentSettings {
  readonly version?: string;
  /** Per role, the strictest mode it may set going. Nobody may do more than read until somebody is named here. */
  readonly roles?: AgentAccess['role_authority'];
  /** Per tool, the scopes it asks for; its own name, where nothing is said. */
  readonly scopes?: AgentAccess['tool_scopes'];
  readonly autonomy?: Partial<AgentSpec['autonomy']>;
  readonly pins?: Partial<AgentSpec['pins']>;
  /** JSON Pointers into the inputs of a request, and into answers: what is there is secret or personal, and kept sealed. */
  readonly sealedInputs?: readonly string[];
}

export interface AgentOptions {
  readonly name: string;
  readonly planner: Planner;
  readonly tools: readonly BoundTool[];
  readonly decisions?: readonly DecisionSpec[];
  /** What it is for. */
  readonly intents: readonly IntentOptions[];
  /** The name of a risk profile, or a bound of your own. */
  readonly boundary: RiskProfileName | Boundary;
  readonly budget?: BudgetOptions;
  readonly settings?: AgentSettings;
}

/** An agent with everything it is made of: what `ambit()` runs. */
export interface Agent {
  readonly spec: AgentSpec;
  readonly tools: readonly BoundTool[];
  readonly planner: Planner;
  readonly decisions: readonly DecisionSpec[];
}

const KNOWN: readonly string[] = ['name', 'planner', 'tools', 'decisions', 'intents', 'boundary', 'budget', 'settings'];

/** Declares an agent. What is not said is filled in so that it may do less rather than more. */
export function agent(options: AgentOptions): Agent {
  assertKnown(options);
  const { name, planner, tools, decisions = [], boundary, budget = {}, settings = {} } = options;
  if (boundary === undefined) {
    throw new Fault('boundary_missing', `agent ${name}: name a risk profile, or give a boundary`, {
      path: '/boundary',
    });
  }
  if (!Array.isArray(options.intents)) throw wrong(name, '/intents', 'intents is a list of what the agent is for');
  if (!Array.isArray(tools)) throw wrong(name, '/tools', 'tools is a list of what tool() made');
  const bound =
    typeof boundary === 'string' ? profileBoundary(name, boundary, [...new Set(tools.flatMap(withProbes))]) : boundary;
  const spec = parseAgent({
    name,
    version: settings.version ?? '1',
    intents: options.intents.map(intentOf),
    boundary: bound,
    budget: budgetOf(budget, bound.profile ?? 'custom'),
    autonomy: { environment: 'production', tier: 6, needs: ['unattended_plan'], reasons: [], ...settings.autonomy },
    access: { tool_scopes: settings.scopes ?? {}, role_authority: settings.roles ?? {} },
    pins: { ...noPins(name), ...settings.pins },
    ...(settings.sealedInputs === undefined ? {} : { sealed_inputs: settings.sealedInputs }),
  });
  return Object.freeze({ spec, tools, planner, decisions });
}

/** A tool, those that look at what it did, and those that a lane hands on. Whoever names a profile need not name them. */
function withProbes({ spec, companions = [] }: BoundTool): readonly ToolSpec[] {
  const { verify, reconcile } = spec.probes ?? {};
  const looking = companions
    .map((companion) => companion.spec)
    .filter(({ name }) => name === verify || name === reconcile || spec.lane?.tools.includes(name) === true);
  return [spec, ...looking];
}

function intentOf(options: IntentOptions): IntentSpec {
  const { intent, description, risk = 'high', taskClass = 'task', modality = 'text', capability = intent } = options;
  const criteria = options.criteria.map((criterion) => ({ rank: 'primary' as const, ...criterion }));
  const spec = { intent, description, task_class: taskClass, risk, modality, capability, criteria };
  return options.regulated === undefined ? spec : { ...spec, regulated: options.regulated };
}

/** An agent that reads no context pack and calls no model says so. */
const noPins = (name: string): AgentSpec['pins'] => ({
  pack_pin: `ctxpack.${name}@0`,
  snapshot_pin: 'none',
  model_versions: { planner: 'none', executor: 'none', verifier: 'none', router: 'none' },
  prompt_template_versions: {},
});

/** A misspelt option is a bound that somebody believes to be there. */
function assertKnown(options: AgentOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new Fault('input_invalid', 'an agent is declared as agent({ name, planner, tools, boundary, … })');
  }
  const strange = Object.keys(options).filter((key) => !KNOWN.includes(key));
  const [first] = strange;
  if (first === undefined) return;
  const message = `there is no option ${printable(strange.join(', '))}; there are ${KNOWN.join(', ')}`;
  throw wrong(options.name, pointerToken(first), message);
}

const wrong = (name: unknown, path: string, message: string): Fault =>
  new Fault('input_invalid', `agent ${printable(String(name))}: ${message}`, { path });
