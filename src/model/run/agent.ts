import { z } from 'zod';
import { PartialCaps } from '../budget/budget.ts';
import { PackRef, type Pins } from '../evidence/context.ts';
import { Fault } from '../fault/fault.ts';
import { guardInput } from '../fault/guard-input.ts';
import { ApprovalMode } from '../gate/approval-mode.ts';
import { exactObject, JsonRecord } from '../json/exact.ts';
import { deepFreeze } from '../json/freeze.ts';
import { type JsonObject, own } from '../json/json.ts';
import { Name, Statement } from '../json/name.ts';
import { parseNamed } from '../json/parse.ts';
import { Places } from '../json/sealed.ts';
import { IntentSpec } from '../plan/intent.ts';
import { Boundary } from '../policy/boundary.ts';
import { Environment, ModelVersions, Versions } from './manifest.ts';
import { ThreadLimits } from './thread.ts';

/** The budget of a run: the caps of a risk profile, and this agent's overrides. */
export interface AgentBudget {
  readonly profile: string;
  readonly overrides: PartialCaps;
}
export const AgentBudget: z.ZodType<AgentBudget> = exactObject({ profile: Name, overrides: PartialCaps });

/** The rung of the autonomy ladder, and its justification. */
export interface AgentAutonomy {
  readonly environment: Environment;
  /** 1 to 7. */
  readonly tier: number;
  /** The capabilities the work needs. The ladder defines the lowest rung that has them. */
  readonly needs: readonly string[];
  /** Reasons against each lower rung that would be sufficient. */
  readonly reasons: readonly { readonly rank: number; readonly why: string }[];
  /** Cooperation with other agents. `opt_in` states who is responsible for a swarm outside a sandbox, and why. */
  readonly topology?: { readonly name: string; readonly opt_in?: string };
}
const Rung: z.ZodType<number> = z.int().min(1).max(7);
export const AgentAutonomy: z.ZodType<AgentAutonomy> = exactObject({
  environment: Environment,
  tier: Rung,
  needs: z.array(Name),
  reasons: z.array(z.strictObject({ rank: Rung, why: Statement })),
  topology: z.strictObject({ name: Name, opt_in: Statement.exactOptional() }).exactOptional(),
});

/** The mapping from an identity's grants to the permissions of a run. Anything not listed is not permitted. */
export interface AgentAccess {
  /** The scopes an identity needs, by tool. An unlisted tool needs a scope of its own name. */
  readonly tool_scopes: Readonly<Record<string, readonly string[]>>;
  /** The strictest approval mode that a role may start. An identity without a listed role may only read. */
  readonly role_authority: Readonly<Record<string, ApprovalMode>>;
}
export const AgentAccess: z.ZodType<AgentAccess> = exactObject({
  tool_scopes: z.record(Name, z.array(Name).min(1, 'must name a scope: no tool is open to everybody')),
  role_authority: z.record(Name, ApprovalMode),
});

/** The scopes that an identity needs for a tool. */
export const scopesOf = ({ tool_scopes }: AgentAccess, tool: string): readonly string[] =>
  own(tool_scopes, tool) ?? [tool];

/** Versions that are fixed when a run starts. */
export interface AgentPins extends Pins {
  readonly model_versions: ModelVersions;
  /** The models of each part of the agent; set from its declaration. */
  readonly models?: Versions;
  readonly prompt_template_versions: Versions;
}
export const AgentPins: z.ZodType<AgentPins> = exactObject({
  pack_pin: PackRef,
  snapshot_pin: Name,
  model_versions: ModelVersions,
  models: Versions.exactOptional(),
  prompt_template_versions: Versions,
});

const INTENTS_MAX = 100;
const INSTRUCTIONS_LENGTH_MAX = 4_000;

/** The name under which a manifest pins the agent's instructions, among its prompt templates, by content address. */
export const INSTRUCTIONS_PIN = 'agent_instructions';

/** The declaration of an agent: data only, so that it can be reviewed, stored and compared. */
export interface AgentSpec {
  readonly name: string;
  readonly version: string;
  /** The developer's instructions to the agent's models. They change how the models write, not what the run may do. */
  readonly instructions?: string;
  readonly intents: readonly IntentSpec[];
  readonly boundary: Boundary;
  readonly budget: AgentBudget;
  readonly autonomy: AgentAutonomy;
  readonly access: AgentAccess;
  readonly pins: AgentPins;
  /** Paths of inputs that are stored sealed; `*` matches any key. */
  readonly sealed_inputs?: readonly string[];
  /** The JSON Schema of the output; absent if the agent declares none. */
  readonly output?: JsonObject;
  /** The limits of a thread; absent if the agent limits none. */
  readonly thread?: ThreadLimits;
}
export const AgentSpec: z.ZodType<AgentSpec> = exactObject({
  name: Name,
  version: Name,
  instructions: Statement.refine(
    ({ length }) => length <= INSTRUCTIONS_LENGTH_MAX,
    `must have at most ${INSTRUCTIONS_LENGTH_MAX} characters`,
  ).exactOptional(),
  intents: z
    .array(IntentSpec)
    .min(1, 'must name what the agent is for')
    .max(INTENTS_MAX)
    .refine((intents) => new Set(intents.map(({ intent }) => intent)).size === intents.length, 'must be distinct'),
  boundary: Boundary,
  budget: AgentBudget,
  autonomy: AgentAutonomy,
  access: AgentAccess,
  pins: AgentPins,
  sealed_inputs: Places.exactOptional(),
  output: JsonRecord.exactOptional(),
  thread: ThreadLimits.exactOptional(),
});

/** Parses an agent declaration. A missing boundary is reported before any other problem. */
export const parseAgent: (value: unknown) => AgentSpec = guardInput('parseAgent', (value: unknown): AgentSpec => {
  if (typeof value === 'object' && value !== null && !Object.hasOwn(value, 'boundary')) {
    throw new Fault('boundary_missing', 'an agent cannot be declared without an autonomy boundary', {
      path: '/boundary',
    });
  }
  return deepFreeze(parseNamed('agent', AgentSpec, value, 'input_invalid'));
});
