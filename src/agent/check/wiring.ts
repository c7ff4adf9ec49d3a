import type { ToolTable } from '../../kernel/index.ts';
import type { DecisionSpec } from '../../model/critic/decision.ts';
import type { Fault } from '../../model/fault/fault.ts';
import { own } from '../../model/json/json.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { printable } from '../../model/json/printable.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { conditionsOf } from '../../model/policy/boundary.ts';
import { RISK_PROFILES } from '../../model/policy/risk.ts';
import type { AgentSpec } from '../../model/run/agent.ts';
import { nearestFirst, unknownNames } from '../../model/text/nearest.ts';
import { exampleProblems } from '../../model/tool/example-problems.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import type { Judge } from '../../ports/model/model-roles.ts';
import type { Planner } from '../../ports/model/planner.ts';
import { saferFaults } from '../planning-mode.ts';
import { wrong } from './values.ts';

interface Parts {
  readonly agent: AgentSpec;
  readonly tools: readonly ToolSpec[];
  readonly decisions: readonly DecisionSpec[];
  readonly planner: Planner;
  readonly judges: readonly Judge[];
  /** Whether context or memory may supply evidence that no tool produces. */
  readonly suppliesContext: boolean;
}

/**
 * Checks the parts of an agent against each other, such as a tool name that no tool has. Otherwise a run would fail
 * when it reaches the name. An agent without tools is valid as long as no part names one.
 */
export function wiringFaults(parts: Parts): readonly Fault[] {
  return [
    ...checkAgentNames(parts),
    ...checkAllowedTools(parts),
    ...checkCompanions(parts),
    ...checkScopes(parts),
    ...checkEvidence(parts),
    ...checkConditions(parts),
    ...checkDecisions(parts),
    ...checkJudges(parts),
    ...checkWrittenPlans(parts),
    ...saferFaults(parts.agent, parts.planner),
  ];
}

const listNames = (names: readonly string[]): string =>
  names.length === 0 ? 'there are none' : `there are ${printable(names.join(', '))}`;

const namesOf = (tools: readonly ToolSpec[]): readonly string[] => tools.map(({ name }) => name);

function checkToolName(path: string, name: string, tools: readonly ToolSpec[]): readonly Fault[] {
  if (tools.some((tool) => tool.name === name)) return [];
  return [wrong(path, `no tool is named ${name}: add it to tools, or remove the name (${listNames(namesOf(tools))})`)];
}

function checkAgentNames({ agent: { boundary, access }, tools }: Parts): readonly Fault[] {
  const at = '/agent/boundary/tools';
  return [
    ...boundary.tools.allowed.flatMap((name, place) => checkToolName(`${at}/allowed/${place}`, name, tools)),
    ...boundary.tools.needs_approval.flatMap((name, place) =>
      checkToolName(`${at}/needs_approval/${place}`, name, tools),
    ),
    ...Object.keys(access.tool_scopes).flatMap((name) =>
      checkToolName(`/agent/access/tool_scopes${pointerToken(name)}`, name, tools),
    ),
  ];
}

function checkAllowedTools({ agent, tools }: Parts): readonly Fault[] {
  const { allowed } = agent.boundary.tools;
  if (tools.length === 0 || allowed.length > 0) return [];
  const message = `the boundary allows none of the tools: list those that the agent may use (${listNames(namesOf(tools))})`;
  return [wrong('/agent/boundary/tools/allowed', message)];
}

/** Checks the tools that a tool names: its probes, its compensation and its equivalents. */
function checkCompanions({ tools, agent }: Parts): readonly Fault[] {
  return tools.flatMap((tool) => {
    const { name, probes = {}, equivalents = [] } = tool;
    const at = `/tools${pointerToken(name)}`;
    const undo =
      probes.compensate === undefined ? [] : checkToolName(`${at}/probes/compensate`, probes.compensate, tools);
    const looks = (['verify', 'reconcile'] as const).flatMap((kind) => {
      const probe = probes[kind];
      return probe === undefined ? [] : checkProbe(`${at}/probes/${kind}`, { name, probe }, tools, agent);
    });
    return [
      ...undo,
      ...looks,
      ...equivalents.flatMap((other, place) => checkToolName(`${at}/equivalents/${place}`, other, tools)),
    ];
  });
}

/** Checks a probe. It runs without approval, so it must be read-only and allowed together with its tool. */
function checkProbe(
  path: string,
  { name, probe }: { readonly name: string; readonly probe: string },
  tools: readonly ToolSpec[],
  { boundary }: AgentSpec,
): readonly Fault[] {
  const spec = tools.find((tool) => tool.name === probe);
  if (spec === undefined) return checkToolName(path, probe, tools);
  if (spec.side_effect || spec.approval_mode !== 'read_only') {
    return [wrong(path, `${probe} is a probe of ${name}, so it must be read_only and have no side effect`)];
  }
  const { allowed } = boundary.tools;
  if (!allowed.includes(name) || allowed.includes(probe)) return [];
  const message = `the boundary allows ${name} but not its probe ${probe}: allow both`;
  return [wrong('/agent/boundary/tools/allowed', message)];
}

/** Checks that an identity that may call a tool may call its probes too; the probe would otherwise be refused. */
function checkScopes({ agent: { access }, tools }: Parts): readonly Fault[] {
  const { tool_scopes: scopes } = access;
  const scopesOf = (name: string): readonly string[] => own(scopes, name) ?? [name];
  return tools.flatMap(({ name, probes = {} }) =>
    [probes.verify, probes.reconcile].flatMap((probe) => {
      if (probe === undefined || !(Object.hasOwn(scopes, name) || Object.hasOwn(scopes, probe))) return [];
      const beyond = scopesOf(probe).filter((scope) => !scopesOf(name).includes(scope));
      if (beyond.length === 0) return [];
      const message = `${probe} is a probe of ${name} and needs the scope ${beyond.join(', ')}, which ${name} does not need: give both the same scopes in settings.scopes`;
      return [wrong(`/agent/access/tool_scopes${pointerToken(probe)}`, message)];
    }),
  );
}

/** Checks that a tool produces the evidence that criteria and decisions need. No run could otherwise reach its goal. */
function checkEvidence({ agent, tools, decisions, suppliesContext }: Parts): readonly Fault[] {
  if (suppliesContext) return [];
  const produced = [...new Set(tools.flatMap(({ produces }) => produces))];
  const missing = (path: string, type: string | undefined, reader: string): readonly Fault[] => {
    if (type === undefined || produced.includes(type)) return [];
    const known =
      produced.length === 0 ? 'no tool produces any' : `the tools produce ${nearestFirst(type, produced).join(', ')}`;
    const message = `${reader} needs evidence ${printable(type)}, and no tool produces it: add it to effects.produces of a tool (${known})`;
    return [wrong(path, message)];
  };
  return [
    ...agent.intents.flatMap(({ intent, criteria = [] }, place) =>
      criteria.flatMap(({ id, rank, evidence }, at) =>
        rank === 'primary'
          ? missing(`/agent/intents/${place}/criteria/${at}/evidence`, evidence, `criterion ${id} of ${intent}`)
          : [],
      ),
    ),
    ...decisions.flatMap(({ decision_id, evidence }, place) =>
      evidence.flatMap((type, at) => missing(`/decisions/${place}/evidence/${at}`, type, `decision ${decision_id}`)),
    ),
  ];
}

/** The fields of every profile, because agents with other boundaries may share a tool. */
const PROFILE_FIELDS: readonly string[] = Object.values(RISK_PROFILES).flatMap(({ fails_closed }) =>
  fails_closed.flatMap(({ field }) => (field === undefined ? [] : [field])),
);

/** Rejects an answer to a condition that no boundary has: the misspelt one would stay unanswered. */
function checkConditions({ agent: { boundary }, tools }: Parts): readonly Fault[] {
  const ownFields = conditionsOf(boundary).flatMap(({ field }) => (field === undefined ? [] : [field]));
  const known = [...new Set([...ownFields, ...PROFILE_FIELDS])];
  return tools.flatMap(({ name, conditions = {} }) => {
    const unknown = unknownNames(conditions, known, 'condition');
    if (unknown === null) return [];
    const path = `/tools${pointerToken(name)}/conditions${pointerToken(unknown.first)}`;
    return [wrong(path, `${name}: ${unknown.message}`)];
  });
}

function checkDecisions({ decisions, tools }: Parts): readonly Fault[] {
  const ids = decisions.map(({ decision_id }) => decision_id);
  return decisions.flatMap(({ decision_id, actions }, place) => [
    ...(ids.indexOf(decision_id) === place
      ? []
      : [wrong(`/decisions/${place}/decision_id`, `two decisions have the id ${decision_id}: give each its own id`)]),
    ...actions.flatMap((name, action) => checkToolName(`/decisions/${place}/actions/${action}`, name, tools)),
  ]);
}

/** Rejects a judge of a tool that does not exist: it would judge nothing, unnoticed. */
function checkJudges({ judges, tools }: Parts): readonly Fault[] {
  return judges.flatMap(({ spec: { applies } }, place) => {
    const named = Array.isArray(applies?.tools) ? applies.tools : [];
    return named.flatMap((name, at) => checkToolName(`/world/judges/${place}/applies/tools/${at}`, name, tools));
  });
}

/** Checks plans that were written before the run. A model's plans are verified when they are made. */
function checkWrittenPlans({ agent, tools, decisions, planner }: Parts): readonly Fault[] {
  const { written } = planner;
  if (written === undefined) return [];
  const unplanned = agent.intents
    .filter(({ intent }) => !Object.hasOwn(written, intent))
    .map(({ intent }) =>
      wrong('/planner', `the planner has no plan for the intent ${intent}: add one, or remove the intent`),
    );
  const known = new Set(decisions.map(({ decision_id }) => decision_id));
  return [...unplanned, ...Object.entries(written).flatMap(([intent, plan]) => checkPlan(intent, plan, tools, known))];
}

function checkPlan(
  intent: string,
  { steps, decision_checkpoints }: Plan,
  tools: readonly ToolSpec[],
  known: ReadonlySet<string>,
): readonly Fault[] {
  const at = `/planner/written${pointerToken(intent)}`;
  return [
    ...steps.flatMap(({ tool }, place) => checkToolName(`${at}/steps/${place}/tool`, tool, tools)),
    ...decision_checkpoints.flatMap(({ decision_id }, place) =>
      known.has(decision_id)
        ? []
        : [
            wrong(
              `${at}/decision_checkpoints/${place}`,
              `no decision is named ${decision_id}: add it to decisions, or remove the checkpoint (${listNames([...known])})`,
            ),
          ],
    ),
  ];
}

/** Rejects examples that fail the tool's own schema, because planners imitate them. Imported tools are exempt. */
export function exampleFaults(tools: ToolTable): readonly Fault[] {
  return tools.specs.flatMap(({ name, examples = [], source }) => {
    if (source !== undefined) return [];
    return examples.flatMap(({ params }, place) => {
      const [problem] = exampleProblems(params, tools.checkArguments(name, tools.complete(name, params)));
      if (problem === undefined) return [];
      const path = `/tools${pointerToken(name)}/examples/${place}/params${problem.path}`;
      return [wrong(path, `${problem.message}: the tool would refuse its own example`)];
    });
  });
}
