import { outputValueSchema } from '../gateway/tool/json-schemas.ts';
import type { StandardOutput, ToolSchema } from '../gateway/tool/standard-schema.ts';
import { type BudgetPreset, capOption } from '../model/budget/budget-profile.ts';
import type { DecisionSpec } from '../model/critic/decision.ts';
import { Fault } from '../model/fault/fault.ts';
import { APPROVAL_MODES, type ApprovalMode, compareModes } from '../model/gate/approval-mode.ts';
import type { Json, JsonObject } from '../model/json/json.ts';
import { optionPaths } from '../model/json/option-paths.ts';
import { pointerToken } from '../model/json/pointer.ts';
import { printable } from '../model/json/printable.ts';
import type { Boundary } from '../model/policy/boundary.ts';
import { RISK_PROFILE_NAMES, RISK_PROFILES, type RiskProfile, type RiskProfileName } from '../model/policy/risk.ts';
import type { TrustedInputs } from '../model/policy/trusted-inputs.ts';
import { type AgentAccess, type AgentSpec, parseAgent } from '../model/run/agent.ts';
import { nearestFirst, unknownMessage, unknownNames } from '../model/text/nearest.ts';
import type { ToolSpec } from '../model/tool/tool.ts';
import type { BoundTool } from '../ports/bound-tool.ts';
import type { Planner } from '../ports/model/planner.ts';
import type { ProviderOptions } from '../ports/model/provider-options.ts';
import type { ModelOption, ModelProfiles } from '../roles/model-profile.ts';
import { AGENT_MODEL_ROLES, type AgentModels, type AgentRoles, plannerFor, rolesFor } from './agent-models.ts';
import { type BudgetOptions, budgetOf } from './budget-options.ts';
import { collectFaults, isRecord, throwFaults } from './check/values.ts';
import { defaultIntents, INTENT_OPTIONS, type IntentOptions, intentOf } from './intent-options.ts';
import { THREAD_OPTIONS, type ThreadLimitOptions, threadLimitsOf } from './thread-options.ts';

interface AgentSettings {
  readonly version?: string;
  /** The strictest approval mode that each role may start. A role that is not listed may only read. */
  readonly roles?: AgentAccess['role_authority'];
  /** The permission scopes that each tool requires. The default is the tool's own name. */
  readonly scopes?: AgentAccess['tool_scopes'];
  readonly autonomy?: Partial<AgentSpec['autonomy']>;
  readonly pins?: Partial<AgentSpec['pins']>;
  /**
   * JSON Pointers into inputs and answers, such as `/customer/iban`, whose values are secret or personal and stored
   * sealed.
   */
  readonly sealedInputs?: readonly string[];
  /**
   * The inputs that you vouch for, with their types, such as `{ order_id: 'id' }`. All other inputs are untrusted. A
   * custom boundary names them in `observations.trusted_inputs`.
   */
  readonly trustedInputs?: TrustedInputs;
}

export interface AgentOptions<Out extends ToolSchema | undefined = ToolSchema | undefined> {
  readonly name: string;
  /** The model that plans and writes answers: one of the AI SDK, or a profile. */
  readonly model?: ModelOption;
  /** Options for the provider of `model`, such as `{ anthropic: { effort: 'low' } }`. */
  readonly providerOptions?: ProviderOptions;
  /** Other models for single roles. */
  readonly models?: AgentModels;
  /** Default: `planFirst` with the agent's model. */
  readonly planner?: Planner;
  /** Your instructions to the models, such as "Be brief." They do not change what a run may do. */
  readonly instructions?: string;
  readonly tools: readonly BoundTool[];
  readonly decisions?: readonly DecisionSpec[];
  /** The requests that the agent accepts. Default: one for each written plan, or one described by the tools. */
  readonly intents?: readonly IntentOptions[];
  /** The name of a risk profile, or a custom boundary. */
  readonly boundary: RiskProfileName | Boundary;
  /** A shipped budget such as `'standard'`, or caps. */
  readonly budget?: BudgetPreset | BudgetOptions;
  /** Limits of a thread, such as `{ runsMax: 20, inferenceCostUsdMax: 5 }`, for all its runs together. */
  readonly thread?: ThreadLimitOptions;
  /** The schema of `outcome.output`. Every leaf of the output is bound to a committed fact. */
  readonly output?: Out;
  readonly settings?: AgentSettings;
}

/** The type of `outcome.output`: the output type of the schema, JSON for plain JSON Schema, null without a schema. */
export type OutputOf<Out> = [Out] extends [undefined] ? null : StandardOutput<Out, Json>;

/** An agent with its tools, planner and decisions. `ambit()` runs it. `types` exists for the compiler only. */
export interface Agent<Output = unknown> {
  readonly spec: AgentSpec;
  readonly tools: readonly BoundTool[];
  readonly planner: Planner;
  readonly decisions: readonly DecisionSpec[];
  /** The roles of the agent's own models. */
  readonly roles?: AgentRoles;
  /** The options that the author wrote, such as `budget.stepsMax`. `explain` shows the others as defaults. */
  readonly stated?: readonly string[];
  readonly types?: { readonly output: Output };
  /** Returns the same agent with another model for every role, such as a scripted model in a test. */
  readonly withModel?: (model: ModelOption) => Agent<Output>;
}

const SETTINGS: readonly string[] = ['version', 'roles', 'scopes', 'autonomy', 'pins', 'sealedInputs', 'trustedInputs'];

const KNOWN: readonly string[] = [
  'name',
  'model',
  'providerOptions',
  'models',
  'planner',
  'instructions',
  'tools',
  'decisions',
  'intents',
  'boundary',
  'budget',
  'thread',
  'output',
  'settings',
];

/** Declares an agent. The schema in `output` gives `outcome.output` its type. */
export type DeclareAgent = <Out extends ToolSchema | undefined = undefined>(
  options: AgentOptions<Out>,
) => Agent<OutputOf<Out>>;

/** Creates `agent()`, which declares agents whose models are configured by `profiles`. */
export function agentWith(profiles: ModelProfiles): DeclareAgent {
  const declare: DeclareAgent = <Out extends ToolSchema | undefined>(
    options: AgentOptions<Out>,
  ): Agent<OutputOf<Out>> => {
    assertObject(options);
    const groups = groupsOf(options);
    const parts = [
      ...groupFaults(options.name, groups),
      ...requiredFaults(options),
      ...collectFaults(
        () => plannerFor(profiles, options),
        () => budgetFor(options),
        () => outputSchema(options.name, options.output),
      ),
    ];
    // The spec is built from these parts, so its own faults are known only if they are valid.
    const built = parts.length > 0 ? [] : collectFaults(() => specOf(options, plannerFor(profiles, options)));
    throwFaults([...unknownFaults(options.name, groups), ...parts, ...built]);
    const planner = plannerFor(profiles, options);
    const spec = specOf(options, planner);
    const { tools, decisions = [] } = options;
    const roles = rolesFor(profiles, options, spec);
    const withModel = (model: ModelOption): Agent<OutputOf<Out>> => declare(replaceModel(options, model));
    return Object.freeze({ spec, tools, planner, decisions, roles, stated: statedIn(options), withModel });
  };
  return declare;
}

/** The paths of the written options, and those of each intent below its name: `intents.order.refund.criteria`. */
function statedIn(options: AgentOptions): readonly string[] {
  const intents = (options.intents ?? []).flatMap((intent) =>
    optionPaths(intent).map((path) => `intents.${intent.intent}.${path}`),
  );
  return [...optionPaths(options), ...intents];
}

/** Replaces every model in the options of an agent. A role that is null stays off. Rejects an own planner and judges. */
function replaceModel<Out extends ToolSchema | undefined>(
  { providerOptions: _, models = {}, ...rest }: AgentOptions<Out>,
  model: ModelOption,
): AgentOptions<Out> {
  for (const [path, value] of Object.entries({ '/planner': rest.planner, '/models/judges': models.judges })) {
    if (value === undefined) continue;
    const option = path.slice(1).replace('/', '.');
    throw wrong(rest.name, path, `${option} is set, and withModel() cannot replace it: use the agent as it is`);
  }
  const off = Object.fromEntries(Object.entries(models).filter(([, role]) => role === null));
  return { ...rest, model, models: off };
}

/** Checks the options that every agent needs, and that no two tools have the same name. */
function requiredFaults({ name, tools, boundary, intents }: AgentOptions): readonly Fault[] {
  const missing = `${agentLabel(name)}: boundary is missing: set it to the name of a risk profile or to a boundary`;
  const distinct = [...new Set(Array.isArray(tools) ? tools : [])].map((tool) => tool?.spec?.name);
  return [
    ...(boundary === undefined ? [new Fault('boundary_missing', missing, { path: '/boundary' })] : []),
    ...(typeof name === 'string' ? [] : [wrong(name, '/name', 'name is missing: name the agent, such as billing')]),
    ...(Array.isArray(tools) ? tools : []).flatMap((tool: unknown, place) =>
      isRecord(tool) && isRecord(tool['spec'])
        ? []
        : [wrong(name, `/tools/${place}`, `tools.${place} is no tool: make it with tool()`)],
    ),
    ...(typeof boundary === 'string' && !RISK_PROFILE_NAMES.includes(boundary)
      ? [wrong(name, '/boundary', `boundary: ${unknownMessage([boundary], RISK_PROFILE_NAMES, 'risk profile')}`)]
      : []),
    ...(intents === undefined || Array.isArray(intents)
      ? []
      : [wrong(name, '/intents', 'intents must be a list of the requests that the agent accepts, or left out')]),
    ...(Array.isArray(tools) ? [] : [wrong(name, '/tools', 'tools must be a list of tools made with tool()')]),
    ...distinct
      .filter((tool, place) => tool !== undefined && distinct.indexOf(tool) !== place)
      .map((tool) => wrong(name, '/tools', `two tools are named ${printable(tool)}: give each its own name`)),
  ];
}

function specOf(options: AgentOptions, planner: Planner): AgentSpec {
  const { name, tools, settings = {}, instructions } = options;
  const intents = options.intents ?? defaultIntents({ name, tools, planner });
  const bound = boundaryFor(options);
  return parseDeclared({
    name,
    version: settings.version ?? '1',
    ...(instructions === undefined ? {} : { instructions }),
    intents: intents.map(intentOf),
    boundary: bound,
    budget: budgetFor(options, bound.profile ?? 'custom'),
    autonomy: { environment: 'production', tier: 6, needs: ['unattended_plan'], reasons: [], ...settings.autonomy },
    access: { tool_scopes: settings.scopes ?? {}, role_authority: settings.roles ?? {} },
    pins: { ...noPins(name), ...settings.pins },
    ...outputSchema(name, options.output),
    ...threadLimits(options),
    ...(settings.sealedInputs === undefined ? {} : { sealed_inputs: settings.sealedInputs }),
  });
}

/** The options behind fields of the stored agent whose names differ. */
const OPTION_PATHS: readonly (readonly [field: RegExp, option: (...parts: readonly string[]) => string])[] = [
  [/^(agent)?\/access\/role_authority/, (_, agent = '') => `${agent}/settings/roles`],
  [/^(agent)?\/access\/tool_scopes/, (_, agent = '') => `${agent}/settings/scopes`],
  [/^(agent)?\/budget\/overrides\/([a-z_]+)/, (_, agent = '', cap = '') => `${agent}/budget/${capOption(cap)}`],
];

const optionPath = (text: string): string =>
  OPTION_PATHS.reduce((path, [field, option]) => path.replace(field, option), text);

/** Parses an agent, with the names of its options in the messages. */
function parseDeclared(value: unknown): AgentSpec {
  try {
    return parseAgent(value);
  } catch (error) {
    if (!Fault.is(error)) throw error;
    const message = error.message.split('\n').map(optionPath).join('\n');
    throw new Fault(error.code, message, { path: optionPath(error.path ?? ''), cause: error });
  }
}

function boundaryFor({ name, boundary, tools, settings }: AgentOptions): Boundary {
  const trusted = settings?.trustedInputs;
  if (typeof boundary === 'string') {
    const built = profileBoundary(name, boundary, {
      tools: [...new Set(tools.flatMap(withProbes))],
      undo: tools.flatMap(compensationOf),
    });
    return { ...built, observations: { ...built.observations, trusted_inputs: trusted ?? {} } };
  }
  if (trusted === undefined) return boundary;
  const message =
    'settings.trustedInputs is for a risk profile: name the inputs in boundary.observations.trusted_inputs';
  throw wrong(name, '/settings/trustedInputs', message);
}

const budgetFor = ({ name, budget = {} }: AgentOptions, usual = 'custom'): AgentSpec['budget'] =>
  budgetOf(budget, usual, (path, message) => wrong(name, path, message));

const threadLimits = ({ thread }: AgentOptions): Pick<AgentSpec, 'thread'> =>
  isRecord(thread) ? { thread: threadLimitsOf(thread) } : {};

/** The declared output as JSON Schema, which the manifest of a run records. */
function outputSchema(name: string, output: unknown): { readonly output?: JsonObject } {
  if (output === undefined) return {};
  const converted = outputValueSchema(output);
  if (!converted.ok) throw wrong(name, '/output', `output: ${converted.why}`);
  return { output: converted.schema };
}

/** Returns a tool with its probes and the tools that a lane passes on. A risk profile allows all of them. */
function withProbes({ spec, companions = [] }: BoundTool): readonly ToolSpec[] {
  const { verify, reconcile } = spec.probes ?? {};
  const probes = companions
    .map((companion) => companion.spec)
    .filter(({ name }) => name === verify || name === reconcile || spec.lane?.tools.includes(name) === true);
  return [spec, ...probes];
}

/** The tool that undoes the effects of a tool. A risk profile lets it have its own mode, and permits no other use of it. */
const compensationOf = ({ spec, companions = [] }: BoundTool): readonly ToolSpec[] =>
  companions.map((companion) => companion.spec).filter(({ name }) => name === spec.probes?.compensate);

/** Pins for an agent that reads no context pack and calls no model. */
const noPins = (name: string): AgentSpec['pins'] => ({
  pack_pin: `ctxpack.${name}@0`,
  snapshot_pin: 'none',
  model_versions: { planner: 'none', executor: 'none', verifier: 'none', router: 'none' },
  prompt_template_versions: {},
});

function assertObject(options: unknown): void {
  if (typeof options === 'object' && options !== null) return;
  throw new Fault('input_invalid', 'agent() needs an options object: agent({ name, model, tools, boundary, … })');
}

/** An object in the options, its place, and the names that it may have. */
interface Group {
  readonly path: string;
  readonly value: unknown;
  readonly known: readonly string[];
  readonly kind?: string;
}

function groupsOf(options: AgentOptions): readonly Group[] {
  const { settings, models, intents, thread } = options;
  const listed: readonly unknown[] = Array.isArray(intents) ? intents : [];
  return [
    { path: '', value: options, known: KNOWN },
    ...(settings === undefined ? [] : [{ path: '/settings', value: settings, known: SETTINGS }]),
    ...(thread === undefined ? [] : [{ path: '/thread', value: thread, known: THREAD_OPTIONS, kind: 'limit' }]),
    ...(models === undefined ? [] : [{ path: '/models', value: models, known: AGENT_MODEL_ROLES, kind: 'role' }]),
    ...listed.map((value, place) => ({ path: `/intents/${place}`, value, known: INTENT_OPTIONS })),
  ];
}

const groupName = (path: string): string => path.slice(1).replace('/', '.');

/** Reports unknown options. A misspelt option would otherwise be a bound that the author believes to be in force. */
function unknownFaults(name: unknown, groups: readonly Group[]): readonly Fault[] {
  return groups.flatMap(({ path, value, known, kind }) => {
    const unknown = isRecord(value) ? unknownNames(value, known, kind) : null;
    if (unknown === null) return [];
    const message = path === '' ? unknown.message : `${groupName(path)}: ${unknown.message}`;
    return [wrong(name, path + pointerToken(unknown.first), message)];
  });
}

/** Reports groups that are no objects. */
function groupFaults(name: unknown, groups: readonly Group[]): readonly Fault[] {
  return groups
    .filter(({ value }) => !isRecord(value))
    .map(({ path, known }) => wrong(name, path, `${groupName(path)} must be an object with ${known.join(', ')}`));
}

const wrong = (name: unknown, path: string, message: string): Fault =>
  new Fault('input_invalid', `${agentLabel(name)}: ${message}`, { path });

const agentLabel = (name: unknown): string => (typeof name === 'string' ? `agent ${printable(name)}` : 'agent');

/** Builds the boundary of an agent that only names a risk profile: all of its tools that the profile permits. */
function profileBoundary(
  agent: string,
  name: RiskProfileName,
  { tools, undo }: { readonly tools: readonly ToolSpec[]; readonly undo: readonly ToolSpec[] },
): Boundary {
  const profile = RISK_PROFILES[name];
  assertActions(name, profile, tools);
  return {
    boundary_id: `${agent}_${name}`,
    version: '1',
    profile: name,
    observations: { permission_scopes: [], confirm_scopes: [], authority_min: 0, personal_data: 'withheld' },
    state_writes: { task_state: 'proposed', persistent_memory: 'approval' },
    tools: {
      allowed: tools.map((tool) => tool.name),
      needs_approval: tools.filter((tool) => needsApproval(profile, tool)).map((tool) => tool.name),
      mode_max: strictestMode([...tools, ...undo]),
      risk_max: 'high',
      untrusted_arguments: 'shown',
      request_grants: 'stated',
    },
    decision_rights: ['plan', 'clarification_request', 'escalation_recommendation'],
    resource_budgets: {},
    escalation_paths: ['user', 'operator', 'review_queue', 'budget_queue', 'security', 'sre', 'compliance'],
  };
}

/** Rejects tools whose action the profile does not list, including actions that it fails closed on. */
function assertActions(name: string, { free, needs_approval }: RiskProfile, tools: readonly ToolSpec[]): void {
  const permitted = [...free, ...needs_approval];
  throwFaults(
    tools.flatMap(({ name: tool, hazards }) => {
      const action = hazards?.action;
      if (action === undefined || permitted.includes(action)) return [];
      const known = nearestFirst(action, permitted).join(', ');
      const message = `boundary: ${tool} performs ${printable(action)}, which ${name} does not permit; it permits ${known}`;
      return [new Fault('input_invalid', message, { path: '/boundary' })];
    }),
  );
}

/** Returns whether the boundary must gate a tool: it has no gate of its own and is neither read-only nor left free. */
function needsApproval({ free, needs_approval }: RiskProfile, { hazards, gates, side_effect }: ToolSpec): boolean {
  if (gates.length > 0) return false;
  const action = hazards?.action;
  if (action === undefined) return side_effect;
  return needs_approval.includes(action) && !free.includes(action);
}

function strictestMode(tools: readonly ToolSpec[]): ApprovalMode {
  const [least] = APPROVAL_MODES;
  return tools.reduce<ApprovalMode>(
    (most, { approval_mode }) => (compareModes(approval_mode, most) > 0 ? approval_mode : most),
    least,
  );
}
