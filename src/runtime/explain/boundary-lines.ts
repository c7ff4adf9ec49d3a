import { BOUNDARY_GATE, type Boundary, conditionsOf } from '../../model/policy/boundary.ts';
import type { BoundaryCondition } from '../../model/policy/condition.ts';
import { RISK_PROFILES } from '../../model/policy/risk.ts';
import type { TrustedInput } from '../../model/policy/trusted-inputs.ts';
import {
  type ExplainedLine,
  type ExplainedSection,
  type ExplainFacts,
  joinNames,
  namedLine,
  optionLine,
  statedLine,
} from './explanation.ts';

interface BoundaryRow {
  readonly name: string;
  /** Null leaves the row out. */
  readonly value: (boundary: Boundary) => string | null;
}

/** The bounds that a risk profile or a custom boundary sets, in words. A new bound is a new row. */
const BOUNDARY_ROWS: readonly BoundaryRow[] = [
  { name: 'tools', value: ({ tools }) => joinNames(tools.allowed) },
  { name: `wait at ${BOUNDARY_GATE}`, value: ({ tools }) => joinNames(tools.needs_approval) },
  { name: 'strictest mode', value: ({ tools }) => tools.mode_max },
  { name: 'highest risk', value: ({ tools }) => tools.risk_max },
  {
    name: 'untrusted values in sensitive arguments',
    value: ({ tools }) => (tools.untrusted_arguments === 'shown' ? 'shown to the approver' : 'refused'),
  },
  {
    name: 'a request that orders a call and states its values',
    value: ({ tools }) =>
      tools.request_grants === 'stated' ? 'approves its mode, and no named gate' : 'approves nothing',
  },
  {
    name: 'denies until it is ruled out',
    value: (boundary) => {
      const conditions = conditionsOf(boundary);
      return conditions.length === 0 ? null : conditions.map(conditionText).join('; ');
    },
  },
  { name: 'free actions', value: ({ profile }) => (profile === null ? null : joinNames(RISK_PROFILES[profile].free)) },
  {
    name: 'actions that need approval',
    value: ({ profile }) => (profile === null ? null : joinNames(RISK_PROFILES[profile].needs_approval)),
  },
  { name: 'data scopes', value: ({ observations }) => joinNames(observations.permission_scopes) },
  { name: 'data scopes that a person releases', value: ({ observations }) => joinNames(observations.confirm_scopes) },
  { name: 'personal data', value: ({ observations }) => observations.personal_data },
  {
    name: 'untrusted inputs of older runs',
    value: ({ observations }) => observations.untrusted_inputs?.join(', ') ?? null,
  },
  {
    name: 'a model may change',
    value: ({ state_writes }) => `task state ${state_writes.task_state}, memory ${state_writes.persistent_memory}`,
  },
  { name: 'a model may propose', value: ({ decision_rights }) => joinNames(decision_rights) },
  { name: 'may hand over to', value: ({ escalation_paths }) => joinNames(escalation_paths) },
];

/** A condition with the actions that it governs, and the field that answers it. */
const conditionText = ({ condition, governs, field }: BoundaryCondition): string =>
  `${condition} for ${governs.join(', ')}${field === undefined ? '' : ` (answered by ${field})`}`;

export function explainBoundary(facts: ExplainFacts): ExplainedSection {
  const { boundary } = facts.assembled.pins.agent;
  const isCustom = facts.isStated('boundary.tools');
  const profile = isCustom
    ? statedLine('boundary', `${boundary.boundary_id}, version ${boundary.version}, your own`, 'boundary')
    : statedLine('boundary', `the risk profile '${boundary.profile}'`, 'boundary');
  const rows = BOUNDARY_ROWS.flatMap(({ name, value }): readonly ExplainedLine[] => {
    const shown = value(boundary);
    if (shown === null) return [];
    if (isCustom) return [statedLine(name, shown, 'boundary')];
    return [namedLine(name, shown, `the risk profile '${boundary.profile}'`, 'boundary')];
  });
  return { title: 'Boundary', lines: [profile, trustedLine(facts, isCustom), ...rows] };
}

function trustedLine({ assembled, isStated }: ExplainFacts, isCustom: boolean): ExplainedLine {
  const trusted = assembled.pins.agent.boundary.observations.trusted_inputs;
  const names = Object.entries(trusted ?? {}).map(([input, type]) => `${input} (${formatType(type)})`);
  return optionLine(isCustom ? trusted !== undefined : isStated('settings.trustedInputs'), {
    name: 'trusted inputs',
    value: joinNames(names, 'none: a plan made after reading an input counts as tainted'),
    option: isCustom ? 'boundary.observations.trusted_inputs' : 'settings.trustedInputs',
    why: 'an input may hold text of third parties until you vouch for it',
  });
}

const formatType = (type: TrustedInput): string => (typeof type === 'object' ? `one of ${type.enum.join(', ')}` : type);
