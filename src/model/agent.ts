import { z } from 'zod';
import { ApprovalMode } from './approval-mode.ts';
import { Boundary } from './boundary.ts';
import { PartialCaps } from './budget.ts';
import { PackRef, type Pins } from './context.ts';
import { Fault } from './fault.ts';
import { deepFreeze } from './freeze.ts';
import { IntentSpec } from './intent.ts';
import { Environment, ModelVersions, Versions } from './manifest.ts';
import { Name, Statement } from './name.ts';
import { parseNamed } from './parse.ts';
import { Places } from './sealed.ts';

/** What a run may spend: a risk profile's published caps and what this agent changes of them. */
export interface AgentBudget {
  readonly profile: string;
  readonly overrides: PartialCaps;
}
export const AgentBudget: z.ZodType<AgentBudget> = z.strictObject({ profile: Name, overrides: PartialCaps });

/** The rung of the autonomy ladder, and where it may stand. */
export interface AgentAutonomy {
  readonly environment: Environment;
  /** 1 to 7. */
  readonly tier: number;
  /** What the work asks for; the ladder knows the lowest rung that can give it. */
  readonly needs: readonly string[];
  /** Why a lower rung that could do the work may not. */
  readonly reasons: readonly { readonly rank: number; readonly why: string }[];
  /** How it works together with others, where it does; `opt_in` says who answers for a swarm outside a sandbox, and why. */
  readonly topology?: { readonly name: string; readonly opt_in?: string };
}
const Rung: z.ZodType<number> = z.int().min(1).max(7);
export const AgentAutonomy: z.ZodType<AgentAutonomy> = z.strictObject({
  environment: Environment,
  tier: Rung,
  needs: z.array(Name),
  reasons: z.array(z.strictObject({ rank: Rung, why: Statement })),
  topology: z.strictObject({ name: Name, opt_in: Statement.exactOptional() }).exactOptional(),
});

/** How the grants of an identity become permissions of a run. What is not written here is not permitted. */
export interface AgentAccess {
  /** Per tool, every scope the identity must hold. A tool that is not listed needs a scope of its own name. */
  readonly tool_scopes: Readonly<Record<string, readonly string[]>>;
  /** Per role, the strictest approval mode it may set going. Without a role from here, a run may only read. */
  readonly role_authority: Readonly<Record<string, ApprovalMode>>;
}
export const AgentAccess: z.ZodType<AgentAccess> = z.strictObject({
  tool_scopes: z.record(Name, z.array(Name).min(1, 'must name a scope: no tool is open to everybody')),
  role_authority: z.record(Name, ApprovalMode),
});

/** Versions that are fixed when a run starts. */
export interface AgentPins extends Pins {
  readonly model_versions: ModelVersions;
  readonly prompt_template_versions: Versions;
}
export const AgentPins: z.ZodType<AgentPins> = z.strictObject({
  pack_pin: PackRef,
  snapshot_pin: Name,
  model_versions: ModelVersions,
  prompt_template_versions: Versions,
});

const INTENTS_MAX = 100;

/** What a team declares about an agent: data only, so that it can be reviewed, stored and compared. */
export interface AgentSpec {
  readonly name: string;
  readonly version: string;
  readonly intents: readonly IntentSpec[];
  readonly boundary: Boundary;
  readonly budget: AgentBudget;
  readonly autonomy: AgentAutonomy;
  readonly access: AgentAccess;
  readonly pins: AgentPins;
  /** Places of what a run is given that are kept sealed; `*` is any key. */
  readonly sealed_inputs?: readonly string[];
}
export const AgentSpec: z.ZodType<AgentSpec> = z.strictObject({
  name: Name,
  version: Name,
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
});

/** An agent without a boundary is refused for that reason, before anything else about it is looked at. */
export function parseAgent(value: unknown): AgentSpec {
  if (typeof value === 'object' && value !== null && !Object.hasOwn(value, 'boundary')) {
    throw new Fault('boundary_missing', 'an agent cannot be declared without an autonomy boundary', {
      path: '/boundary',
    });
  }
  return deepFreeze(parseNamed('agent', AgentSpec, value, 'input_invalid'));
}
