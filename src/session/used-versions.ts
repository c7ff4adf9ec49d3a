import {
  explainMissingGuard,
  forbiddenCompanion,
  isRollingBack,
  type KernelEnv,
  missingGuards,
  type RunState,
  type StillUsed,
  stillUsed,
  type ToolTable,
  unsettledTool,
} from '../kernel/index.ts';
import { type JudgeSpec, judgeId } from '../model/critic/judge.ts';
import { explainMissingEvaluator } from '../model/critic/rubric.ts';
import { Fault, type FaultCode } from '../model/fault/fault.ts';
import { type Json, type JsonObject, own } from '../model/json/json.ts';
import { sameJson } from '../model/json/json-at.ts';
import { type AgentPins, INSTRUCTIONS_PIN } from '../model/run/agent.ts';
import { idsOf, type RunManifest } from '../model/run/manifest.ts';
import type { ToolSpec } from '../model/tool/tool.ts';
import { differingFields } from '../model/tool/tool-change.ts';

/** The tools of a run that this process has in another version or not at all, each with the fields that differ. */
export type ChangedTools = ReadonlyMap<string, readonly string[]>;

export function changedTools(recorded: readonly ToolSpec[], here: Pick<ToolTable, 'get'>): ChangedTools {
  return new Map(
    recorded.flatMap((spec) => {
      const fields = differingFields(spec, here.get(spec.name));
      return fields.length === 0 ? [] : [[spec.name, fields]];
    }),
  );
}

/** The faults of a run that uses something that this process has in another version. */
export const VERSION_FAULTS: readonly FaultCode[] = [
  'version_changed',
  'pack_version_mismatch',
  'snapshot_version_mismatch',
];

/** The versions that a process, or a recorded run, has of everything that runs use. */
interface AvailableVersions {
  readonly agent: { readonly name: string; readonly pins: AgentPins };
  readonly env: KernelEnv;
  readonly registry: { readonly version: string };
  readonly catalogVersion: string;
  readonly changed?: ChangedTools;
}

/** Why this process must not call a tool of a run; null if the tool is the one that the run was planned with. */
export function whyChanged(changed: ChangedTools | undefined, tool: string): string | null {
  const fields = changed?.get(tool);
  if (fields === undefined) return null;
  if (fields.includes('name')) return `tool ${tool}, which this run uses, does not exist any more`;
  const differing = fields.map((field) => `\`${field}\``).join(', ');
  const verb = fields.length === 1 ? 'differs' : 'differ';
  return `tool ${tool} has changed since this run was planned: ${differing} ${verb}`;
}

/**
 * Rejects a run if a part that it still uses has changed since it started. Other parts may change, so a deploy does not
 * block runs that do not use them. The fault names the commands that help.
 */
export function assertUsedVersions(state: RunState, here: AvailableVersions, recorded: AvailableVersions): void {
  const { manifest } = state;
  if (manifest === null) return;
  assertContextPins(state.id.runId, manifest, here.agent);
  const used = stillUsed(recorded.env, state);
  assertUnchangedRules(state, used, here, recorded);
  const changed = changedUsed(used, recorded);
  if (changed.length === 0) return;
  const reasons = changed.flatMap((tool) => whyChanged(recorded.changed, tool) ?? []);
  throw new Fault(
    'version_changed',
    `${reasons.join('; ')}. ${explainChange(recorded, here.env.tools, state, changed)}`,
  );
}

/** Rejects the migration of a run if more has changed than tools and pins, because no migration can accept that. */
export function assertMigratable(state: RunState, here: AvailableVersions, recorded: AvailableVersions): void {
  const { pack_pin, snapshot_pin } = here.agent.pins;
  const manifest = state.manifest === null ? null : { ...state.manifest, pack_pin, snapshot_pin };
  const used = stillUsed(recorded.env, state);
  assertUnchangedRules({ ...state, manifest }, used, here, recorded);
  const changed = changedUsed(used, recorded);
  const obstacle = whyNotAccepted(recorded.env, here.env.tools, state, changed);
  if (obstacle === null) return;
  const code = unsettledTool(recorded.env, state, new Set(changed)) === null ? 'version_changed' : 'call_in_doubt';
  throw new Fault(code, `${obstacle}. ${explainEnd(state, `${changed.join(', ')} changed`)}`);
}

const changedUsed = ({ tools }: StillUsed, { changed }: AvailableVersions): readonly string[] =>
  [...tools].filter((tool) => changed?.has(tool) === true);

function assertUnchangedRules(
  state: RunState,
  used: StillUsed,
  here: AvailableVersions,
  recorded: AvailableVersions,
): void {
  const { manifest } = state;
  const reason =
    manifest === null ? null : (changedRules(manifest, used, here, recorded) ?? changedModel(used, manifest, here));
  if (reason !== null) throw new Fault('version_changed', `${reason}. ${explainEnd(state, 'a version has changed')}`);
}

/** How a run goes on whose tools have changed. Calls under way cannot be migrated. */
function explainChange(
  { env }: AvailableVersions,
  here: ToolTable,
  state: RunState,
  changed: readonly string[],
): string {
  const why = `${changed.join(', ')} changed`;
  const obstacle = whyNotAccepted(env, here, state, changed);
  if (obstacle !== null) return `${obstacle}. ${explainEnd(state, why)}`;
  const migrate = `Accept the change with \`ambit sessions migrate ${state.id.runId} --reason "${why}"\``;
  return isRollingBack(state) ? `${migrate}.` : `${migrate}, or end the run with ${terminate(state, why)}.`;
}

/** Why the new versions of these tools cannot be accepted; null if they can. */
function whyNotAccepted(env: KernelEnv, here: ToolTable, state: RunState, changed: readonly string[]): string | null {
  const unsettled = unsettledTool(env, state, new Set(changed));
  if (unsettled !== null) return `A call that uses ${unsettled} is under way or in doubt`;
  for (const tool of changed) {
    const refused = forbiddenCompanion({ tools: here }, state, tool);
    if (refused !== null) return `The new version of ${tool} calls ${refused}, which this run may not use`;
  }
  return null;
}

/** How a run ends that this process cannot continue. A rollback cannot be cancelled. */
function explainEnd(state: RunState, why: string): string {
  const elsewhere = 'ontinue it in a process that has the earlier version';
  return isRollingBack(state) ? `C${elsewhere}.` : `End the run with ${terminate(state, why)}, or c${elsewhere}.`;
}

const terminate = ({ id }: RunState, why: string): string =>
  `\`ambit sessions terminate ${id.runId} --reason "${why}"\``;

function assertContextPins(runId: string, recorded: RunManifest, { name, pins }: AvailableVersions['agent']): void {
  for (const part of ['pack', 'snapshot'] as const) {
    const [before, now] = [recorded[`${part}_pin`], pins[`${part}_pin`]];
    if (before === now) continue;
    const other = recorded.agent === name ? '' : ` of the agent ${name}; the run belongs to ${recorded.agent}`;
    const why = `--reason "the ${part} changed"`;
    const message = `the run is pinned to the ${part} ${before}, but this process has ${now}${other}. Accept it with \`ambit sessions migrate ${runId} ${why}\`, or end the run with \`ambit sessions terminate ${runId} ${why}\`.`;
    throw new Fault(`${part}_version_mismatch`, message);
  }
}

/** Names a changed policy, detector, judge or registry. They are code, so a run cannot record them as its graph. */
function changedRules(
  manifest: RunManifest,
  { judges }: StillUsed,
  here: AvailableVersions,
  { env }: AvailableVersions,
): string | null {
  const { policy, detectors, guards, evaluators } = here.env;
  const unjudged = evaluators === undefined ? null : explainMissingEvaluator(env.rubric, evaluators);
  if (unjudged !== null) return unjudged;
  const [guard] = missingGuards(env.graph.spec as unknown as JsonObject, guards);
  if (guard !== undefined) return explainMissingGuard(guard, guards);
  const detector = idsOf(manifest.detector_versions).find((id) => !detectors.includes(id));
  if (detector !== undefined) return differs('the detector', detector, otherVersion(detector, detectors));
  const judge = [...judges].find((id) => !hasSameJudge(here.env, env, id));
  if (judge !== undefined) return explainJudge(judge, here.env);
  const rules = [
    ['policy', manifest.policy_version, policy.version],
    // Early runs did not record their tools and decisions, so any change counts.
    ...(env.tools === here.env.tools ? [['tool registry', manifest.tool_registry_version, here.registry.version]] : []),
    ...(env.catalog === here.env.catalog
      ? [['decision catalogue', manifest.decision_catalog_version, here.catalogVersion]]
      : []),
  ];
  const changed = rules.find(([, before, now]) => before !== now);
  if (changed === undefined) return null;
  const [what = '', before, now] = changed;
  return differs(what, before, now);
}

const specOf = ({ judges = [] }: KernelEnv, id: string): JudgeSpec | undefined =>
  judges.find((spec) => judgeId(spec) === id);

const hasSameJudge = (here: KernelEnv, recorded: KernelEnv, id: string): boolean =>
  sameJson(specOf(here, id) as unknown as Json, specOf(recorded, id) as unknown as Json);

function explainJudge(id: string, here: KernelEnv): string {
  if (specOf(here, id) === undefined)
    return differs('the judge', id, otherVersion(id, (here.judges ?? []).map(judgeId)));
  return `the run was made with the judge ${id}, which this process has with other criteria, another scope or other costs`;
}

/** The id of the same name that this process has; none if it has none. */
const otherVersion = (id: string, here: readonly string[]): string | undefined =>
  here.find((other) => nameOf(other) === nameOf(id));

const nameOf = (id: string): string => id.slice(0, id.indexOf('@'));

/** Names the first model that the run still uses and that has changed. */
function changedModel(used: StillUsed, manifest: RunManifest, { agent: { pins } }: AvailableVersions): string | null {
  const planner = used.plans ? changedPlanner(manifest, pins) : null;
  if (planner !== null) return planner;
  const asked = manifest.models === undefined ? changedRole(used, manifest, pins) : changedPart(used, manifest, pins);
  if (asked !== null) return asked;
  // A drafter sees the instructions too.
  return used.drafts ? changedTemplate(manifest, pins, INSTRUCTIONS_PIN) : null;
}

function changedPart(used: StillUsed, manifest: RunManifest, pins: AgentPins): string | null {
  const parts = [
    ...(used.drafts ? ['drafter'] : []),
    ...(used.classifies ? ['classifier'] : []),
    ...[...used.tools].map((tool) => `tool:${tool}`),
    ...[...used.judges].map(judgePart),
  ];
  return parts.map((part) => changedModelOf(manifest, pins, part)).find((reason) => reason !== null) ?? null;
}

const judgePart = (id: string): string => `judge:${id}`;

/** Why this process must not ask a judge for a run; null if its model is that of the run. */
export const changedJudge = (manifest: RunManifest, here: AgentPins, id: string): string | null =>
  manifest.models === undefined ? null : changedModelOf(manifest, here, judgePart(id));

function changedModelOf({ models = {} }: RunManifest, here: AgentPins, part: string): string | null {
  const [before, now] = [own(models, part), own(here.models ?? {}, part)];
  return before === now ? null : differs(`the model of ${part.replace(':', ' ')}`, before, now);
}

/** Runs from before each part had a pin of its own compare all models of a role together. */
function changedRole(used: StillUsed, manifest: RunManifest, pins: AgentPins): string | null {
  const roles = [
    ...(used.asksModels || used.drafts ? (['executor'] as const) : []),
    ...(used.judges.size > 0 ? (['verifier'] as const) : []),
    ...(used.classifies ? (['router'] as const) : []),
  ];
  const role = roles.find((name) => manifest.model_versions[name] !== pins.model_versions[name]);
  return role === undefined ? null : differs(`the ${role}`, manifest.model_versions[role], pins.model_versions[role]);
}

/** Why this process must not plan for a run: another model or another prompt; null if both are those of the run. */
export function changedPlanner(manifest: RunManifest, here: AgentPins): string | null {
  const { planner } = manifest.model_versions;
  if (planner !== here.model_versions.planner) return differs('the planner', planner, here.model_versions.planner);
  // Instructions that were added later change the prompts of the run too.
  const names = new Set([...Object.keys(manifest.prompt_template_versions), INSTRUCTIONS_PIN]);
  const reasons = [...names].map((name) => changedTemplate(manifest, here, name));
  return reasons.find((reason) => reason !== null) ?? null;
}

function changedTemplate(manifest: RunManifest, here: AgentPins, name: string): string | null {
  const before = own(manifest.prompt_template_versions, name);
  const now = own(here.prompt_template_versions, name);
  const what = name === INSTRUCTIONS_PIN ? 'the instructions' : `the prompt template ${name}`;
  return before === now ? null : differs(what, before, now);
}

const differs = (what: string, before = 'none', now = 'none'): string =>
  `the run was made with ${what} ${before}, but this process has ${now}`;
