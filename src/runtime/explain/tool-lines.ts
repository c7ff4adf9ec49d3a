import { withCompanions } from '../../gateway/tool/bound-tools.ts';
import { approvalsFor } from '../../model/critic/decision.ts';
import { isGrantable } from '../../model/evidence/origin.ts';
import { compareModes, runsInline } from '../../model/gate/approval-mode.ts';
import { BOUNDARY_GATE } from '../../model/policy/boundary.ts';
import { scopesOf } from '../../model/run/agent.ts';
import type { Idempotency, ToolSpec } from '../../model/tool/tool.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';
import {
  derivedLine,
  type ExplainedLine,
  type ExplainedSection,
  type ExplainFacts,
  formatMs,
  joinNames,
  optionLine,
  statedLine,
} from './explanation.ts';
import { startableTools } from './user-lines.ts';

/** A property of a tool, the option of `tool()` that sets it, and the label of an imported tool that sets it. */
interface ToolRow {
  readonly name: string;
  readonly option: string;
  readonly label: string;
  readonly value: (spec: ToolSpec) => string;
  /** The reason for the default. */
  readonly why: (spec: ToolSpec) => string;
  /** The option of `lane()`; absent if the agent in the lane decides it. */
  readonly lane?: string;
  /** Only tools with a side effect have the row. */
  readonly effect?: true;
  /** Only tools in a mode that a request may approve have the row. */
  readonly granted?: true;
}

const because =
  (why: string): ToolRow['why'] =>
  () =>
    why;

const TOOL_ROWS: readonly ToolRow[] = [
  {
    name: 'mode',
    option: 'approvalMode',
    label: 'approval_mode',
    lane: 'approvalMode',
    value: ({ approval_mode }) => approval_mode,
    why: ({ lane }) =>
      lane === undefined
        ? 'the strictest mode that the source does not rule out'
        : 'a person sees the task of a lane first',
  },
  {
    name: 'gates',
    option: 'risk.gates',
    label: 'gates',
    lane: 'gates',
    value: ({ gates }) => joinNames(gates, 'none: a call waits for no person'),
    why: ({ approval_mode }) =>
      runsInline(approval_mode) ? `${approval_mode} runs without approval` : `${approval_mode} waits for a person`,
  },
  {
    name: 'a request may approve a call with',
    option: 'risk.requestWords',
    label: 'hazards',
    granted: true,
    value: ({ hazards }) => joinNames(hazards?.request_words ?? [], 'no word: a person approves each call'),
    why: because('only you know the words that order a call'),
  },
  {
    name: 'side effect',
    option: 'effects.sideEffect',
    label: 'side_effect',
    value: ({ side_effect }) => (side_effect ? 'changes something outside the run' : 'none'),
    why: ({ approval_mode, side_effect }) =>
      side_effect ? `${approval_mode} counts as a change until you say otherwise` : `${approval_mode} changes nothing`,
  },
  {
    name: 'idempotency',
    option: 'effects.idempotency',
    label: 'idempotency',
    value: ({ idempotency }) => IDEMPOTENCY[idempotency.kind](idempotency),
    why: ({ side_effect }) =>
      side_effect ? 'a change counts as unrepeatable until you say otherwise' : 'a look can be repeated',
  },
  {
    name: 'answers the conditions',
    option: 'conditions',
    label: 'conditions',
    value: ({ conditions = {} }) => joinNames(Object.keys(conditions)),
    why: because('only you know which field of a result answers one'),
  },
  {
    name: 'finds out about a lost answer by',
    option: 'effects.reconcile',
    label: 'probes',
    effect: true,
    value: ({ probes }) =>
      probes?.reconcile ?? 'nothing: a call in doubt is sent again with its key, or a person decides',
    why: because('only you know how to look a call up'),
  },
  {
    name: 'is undone by',
    option: 'effects.compensate',
    label: 'probes',
    effect: true,
    value: ({ probes }) => probes?.compensate ?? 'nothing: an abandoned run lists the effect',
    why: because('only you know how to undo a call'),
  },
  {
    name: 'evidence',
    option: 'effects.produces',
    label: 'produces',
    lane: 'task',
    value: ({ produces }) => joinNames(produces),
    why: because('no criterion rests on the result until you name its type'),
  },
  {
    name: 'results',
    option: 'risk.trusted',
    label: 'trusted',
    value: ({ trusted }) => (trusted ? 'trusted' : 'untrusted: they taint what a model plans after reading them'),
    why: because('a result may hold text of third parties until you vouch for it'),
  },
  {
    name: 'counts as external',
    option: 'limits.external',
    label: 'external',
    value: ({ external }) => (external ? 'yes' : 'no'),
    why: because('network and delegated tools do'),
  },
  {
    name: 'category',
    option: 'risk.category',
    label: 'category',
    value: ({ category }) => category,
    why: because('read_only tools look up, all others call an API'),
  },
  {
    name: 'time limit',
    option: 'limits.timeoutMs',
    label: 'timeout_ms',
    value: ({ timeout_ms }) => formatMs(timeout_ms),
    why: because('the time limit of every tool'),
  },
  {
    name: 'retries',
    option: 'limits.retries',
    label: 'retries_max',
    value: ({ retries_max }) => String(retries_max),
    why: ({ idempotency }) =>
      idempotency.kind === 'none' ? 'a call that is not idempotent is not repeated' : 'a repeated call is harmless',
  },
];

const IDEMPOTENCY: Readonly<Record<Idempotency['kind'], (value: Idempotency) => string>> = {
  key: (value) =>
    `by key${value.kind === 'key' ? `, which the tool remembers for ${formatMs(value.retention_ms)}` : ''}`,
  natural: () => 'natural: the same call twice is harmless',
  none: () => 'none: the same call twice has two effects',
};

/** One section for each tool, with all conditions of its calls. */
export function explainTools(facts: ExplainFacts): readonly ExplainedSection[] {
  const bound = new Map(withCompanions(facts.options.tools).map((tool) => [tool.spec.name, tool]));
  const { tools } = facts.assembled.pins.registry;
  const { allowed } = facts.assembled.pins.agent.boundary.tools;
  const callable = tools.filter(({ name }) => allowed.includes(name));
  const sections = callable.map((spec) => {
    const tool = bound.get(spec.name);
    if (tool === undefined || spec.speaks !== undefined)
      return { title: `Tool ${spec.name}`, lines: [speakingLine(spec)] };
    return { title: `Tool ${spec.name}`, lines: [...linesOf(tool), ...placeLines(facts, spec)] };
  });
  const undoing = tools.flatMap((spec) => {
    const undone = callable.filter(({ probes }) => probes?.compensate === spec.name).map(({ name }) => name);
    const tool = bound.get(spec.name);
    if (undone.length === 0 || tool === undefined || allowed.includes(spec.name)) return [];
    return [{ title: `Tool ${spec.name}`, lines: [...linesOf(tool), ...undoLines(facts, spec, undone)] }];
  });
  return [...sections, ...undoing];
}

/** The use of a tool that only compensates: no plan may call it. */
function undoLines(
  facts: ExplainFacts,
  { approval_mode }: ToolSpec,
  undone: readonly string[],
): readonly ExplainedLine[] {
  const { mode_max } = facts.assembled.pins.agent.boundary.tools;
  const isBeyond = compareModes(approval_mode, mode_max) > 0;
  const use = isBeyond
    ? `never: the boundary permits calls up to ${mode_max}`
    : `only to undo ${joinNames(undone)}, when a run is abandoned`;
  return [derivedLine('may be called', use, 'a compensation is permitted with its tool, under its own mode')];
}

const speakingLine = ({ speaks }: ToolSpec): ExplainedLine =>
  derivedLine(
    'does',
    speaks === 'clarify' ? 'asks the user' : 'tells the user the answer',
    'every planner may end a plan with it',
  );

function linesOf({ spec, stated }: BoundTool): readonly ExplainedLine[] {
  const isStated = (option: string): boolean => stated === undefined || stated.includes(option);
  const rows = TOOL_ROWS.filter(
    ({ effect, granted }) =>
      (effect === undefined || spec.side_effect) && (granted === undefined || isGrantable(spec.approval_mode)),
  );
  return [
    statedLine(
      'does',
      spec.lane === undefined ? spec.description : `${spec.description} (lane of ${spec.lane.agent})`,
      'description',
    ),
    ...rows.map(({ name, option, label, lane, value, why }): ExplainedLine => {
      const line = { name, value: value(spec), why: why(spec) };
      if (spec.source !== undefined) return optionLine(isStated(label), { ...line, option: `labels.${label}` });
      if (spec.lane === undefined) return optionLine(isStated(option), { ...line, option });
      if (lane === undefined) return derivedLine(name, line.value, 'the agent in the lane decides it');
      return optionLine(isStated(lane), { ...line, option: lane });
    }),
  ];
}

/** The conditions that the agent adds: gates of decisions and of the boundary, scopes and roles. */
function placeLines(facts: ExplainFacts, { name, lane }: ToolSpec): readonly ExplainedLine[] {
  const { agent, env } = facts.assembled.pins;
  const { boundary, access } = agent;
  const decisions = approvalsFor(env.catalog, name);
  const roles = Object.keys(access.role_authority).filter((role) => startableTools(facts, [role]).includes(name));
  const isOpen = startableTools(facts, []).includes(name);
  return [
    ...(decisions.length === 0 ? [] : [statedLine('gates of decisions', joinNames(decisions), 'decisions')]),
    ...(boundary.tools.needs_approval.includes(name)
      ? [derivedLine('gate of the boundary', BOUNDARY_GATE, 'the boundary says so')]
      : []),
    optionLine(Object.hasOwn(access.tool_scopes, name), {
      name: 'needs the scope',
      value: joinNames(scopesOf(access, name)),
      option: `settings.scopes`,
      why: 'a tool needs the scope of its own name',
    }),
    derivedLine(
      'may be started by',
      isOpen
        ? 'every identity with the scope'
        : joinNames(
            roles.map((role) => `role ${role}`),
            'no role',
          ),
      'its mode and `settings.roles`',
    ),
    ...(lane === undefined ? [] : [derivedLine('tools of the lane', joinNames(lane.tools), 'the agent in the lane')]),
  ];
}
