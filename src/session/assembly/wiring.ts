import type { AgentSpec } from '../../model/agent.ts';
import type { DecisionSpec } from '../../model/decision.ts';
import { Fault } from '../../model/fault.ts';
import type { Plan } from '../../model/plan.ts';
import { pointerToken } from '../../model/pointer.ts';
import { printable } from '../../model/printable.ts';
import type { ToolSpec } from '../../model/tool.ts';
import type { Judge } from '../../ports/judge.ts';
import type { Planner } from '../../ports/planner.ts';
import { saferFaults } from './safer-planner.ts';

export interface Parts {
  readonly agent: AgentSpec;
  readonly tools: readonly ToolSpec[];
  readonly decisions: readonly DecisionSpec[];
  readonly planner: Planner;
  readonly judges: readonly Judge[];
}

/**
 * Parts that are each in order and do not fit each other: a name that leads nowhere would otherwise show only when a
 * run comes to it. An agent without tools is in order as long as nobody names one.
 */
export function wiringFaults(parts: Parts): readonly Fault[] {
  return [
    ...agentNames(parts),
    ...nothingAllowed(parts),
    ...companionNames(parts),
    ...decisionNames(parts),
    ...judgeNames(parts),
    ...writtenPlans(parts),
    ...saferFaults(parts.agent, parts.planner),
  ];
}

const wrong = (path: string, message: string): Fault => new Fault('input_invalid', `${path}: ${message}`, { path });

const listed = (names: readonly string[]): string =>
  names.length === 0 ? 'there are none' : `there are ${printable(names.join(', '))}`;

const namesOf = (tools: readonly ToolSpec[]): readonly string[] => tools.map(({ name }) => name);

function noTool(path: string, name: string, tools: readonly ToolSpec[]): readonly Fault[] {
  if (tools.some((tool) => tool.name === name)) return [];
  return [wrong(path, `no tool is named ${name}: add it to tools, or take the name out (${listed(namesOf(tools))})`)];
}

function agentNames({ agent: { boundary, access }, tools }: Parts): readonly Fault[] {
  const at = '/agent/boundary/tools';
  return [
    ...boundary.tools.allowed.flatMap((name, place) => noTool(`${at}/allowed/${place}`, name, tools)),
    ...boundary.tools.needs_approval.flatMap((name, place) => noTool(`${at}/needs_approval/${place}`, name, tools)),
    ...Object.keys(access.tool_scopes).flatMap((name) =>
      noTool(`/agent/access/tool_scopes${pointerToken(name)}`, name, tools),
    ),
  ];
}

function nothingAllowed({ agent, tools }: Parts): readonly Fault[] {
  const { allowed } = agent.boundary.tools;
  if (tools.length === 0 || allowed.length > 0) return [];
  const message = `the boundary allows none of the tools: name those it may use (${listed(namesOf(tools))})`;
  return [wrong('/agent/boundary/tools/allowed', message)];
}

/** Whom a tool names: who looks at what it did, who takes it back, who answers in its place. */
function companionNames({ tools, agent }: Parts): readonly Fault[] {
  return tools.flatMap((tool) => {
    const { name, probes = {}, equivalents = [] } = tool;
    const at = `/tools${pointerToken(name)}`;
    const undo = probes.compensate === undefined ? [] : noTool(`${at}/probes/compensate`, probes.compensate, tools);
    const looks = (['verify', 'reconcile'] as const).flatMap((kind) => {
      const probe = probes[kind];
      return probe === undefined ? [] : probeFaults(`${at}/probes/${kind}`, { name, probe }, tools, agent);
    });
    return [
      ...undo,
      ...looks,
      ...equivalents.flatMap((other, place) => noTool(`${at}/equivalents/${place}`, other, tools)),
    ];
  });
}

/** Nobody is asked before a probe is called, so it only looks, and whoever may use the tool may use its probe. */
function probeFaults(
  path: string,
  { name, probe }: { readonly name: string; readonly probe: string },
  tools: readonly ToolSpec[],
  { boundary }: AgentSpec,
): readonly Fault[] {
  const spec = tools.find((tool) => tool.name === probe);
  if (spec === undefined) return noTool(path, probe, tools);
  if (spec.side_effect || spec.approval_mode !== 'read_only') {
    return [wrong(path, `${probe} looks at what ${name} did, so it has to be read_only and without a side effect`)];
  }
  const { allowed } = boundary.tools;
  if (!allowed.includes(name) || allowed.includes(probe)) return [];
  const message = `the boundary allows ${name} and not ${probe}, which looks at what it did: allow both`;
  return [wrong('/agent/boundary/tools/allowed', message)];
}

function decisionNames({ decisions, tools }: Parts): readonly Fault[] {
  const ids = decisions.map(({ decision_id }) => decision_id);
  return decisions.flatMap(({ decision_id, actions }, place) => [
    ...(ids.indexOf(decision_id) === place
      ? []
      : [wrong(`/decisions/${place}/decision_id`, `two decisions are named ${decision_id}: give each its own id`)]),
    ...actions.flatMap((name, action) => noTool(`/decisions/${place}/actions/${action}`, name, tools)),
  ]);
}

/** A judge of a tool that nobody has would judge nothing, and somebody believes that it does. */
function judgeNames({ judges, tools }: Parts): readonly Fault[] {
  return judges.flatMap(({ spec: { applies } }, place) => {
    const named = Array.isArray(applies?.tools) ? applies.tools : [];
    return named.flatMap((name, at) => noTool(`/world/judges/${place}/applies/tools/${at}`, name, tools));
  });
}

/** Plans that are written before a run can be held against what they name; a model's cannot, and are verified when made. */
function writtenPlans({ agent, tools, decisions, planner }: Parts): readonly Fault[] {
  const { written } = planner;
  if (written === undefined) return [];
  const unplanned = agent.intents
    .filter(({ intent }) => !Object.hasOwn(written, intent))
    .map(({ intent }) => wrong('/planner', `there is no plan for the intent ${intent}: write one, or drop the intent`));
  const known = new Set(decisions.map(({ decision_id }) => decision_id));
  return [...unplanned, ...Object.entries(written).flatMap(([intent, plan]) => planNames(intent, plan, tools, known))];
}

function planNames(
  intent: string,
  { steps, decision_checkpoints }: Plan,
  tools: readonly ToolSpec[],
  known: ReadonlySet<string>,
): readonly Fault[] {
  const at = `/planner/written${pointerToken(intent)}`;
  return [
    ...steps.flatMap(({ tool }, place) => noTool(`${at}/steps/${place}/tool`, tool, tools)),
    ...decision_checkpoints.flatMap(({ decision_id }, place) =>
      known.has(decision_id)
        ? []
        : [
            wrong(
              `${at}/decision_checkpoints/${place}`,
              `no decision is named ${decision_id}: add it to decisions, or take the checkpoint out (${listed([...known])})`,
            ),
          ],
    ),
  ];
}
