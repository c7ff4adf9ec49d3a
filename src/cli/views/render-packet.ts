import type { ApprovalPacket } from '../../approvals.ts';
import type { JsonObject, Plan } from '../../index.ts';
import { pointerKeys } from '../../model/index.ts';
import type { DryRun } from '../../records.ts';
import { escapeJson, escapeLine } from '../terminal/escape.ts';
import { renderPairs } from '../terminal/render-table.ts';
import type { Paint } from '../terminal/terminal.ts';
import { formatInstant, formatMoney, formatRelative } from './format.ts';

/** Renders an approval packet completely. Untrusted text is escaped, so that it cannot hide anything. */
export function renderPacket(packet: JsonObject, hash: string, now: number, paint: Paint): string {
  const shown: Partial<ApprovalPacket> & { readonly task?: string; readonly budget?: JsonObject | null } =
    packet as object;
  const { gate, gates, action, task, position, expires_at } = shown;
  const title = [gates?.map(({ name }) => name).join(', ') ?? gate, action ?? task]
    .filter((part) => part !== undefined)
    .map((part) => escapeLine(String(part)));
  const step = position == null ? '' : paint('quiet', `  step ${position.n} of ${position.of}`);
  const header = `${paint('warning', title[0] ?? 'gate')}  ${paint('strong', title[1] ?? '')}${step}`;
  return [
    // The packet of a handed-over run names neither a gate nor a call.
    ...(title.length === 0 ? [] : [header]),
    `  ${paint('quiet', 'packet')}  ${paint('strong', hash)}`,
    ...renderArguments(packet, paint),
    ...renderInputs(shown.inputs ?? [], paint),
    ...renderPlan(packet, paint),
    ...renderPairs([
      ['cost', shown.cost === undefined ? null : formatCost(shown.cost)],
      ['mode', shown.approval_mode === undefined ? null : `${shown.approval_mode}, risk ${String(shown.risk)}`],
      ['blast radius', shown.blast_radius === undefined ? null : escapeLine(shown.blast_radius)],
      ['rollback', shown.rollback_path === undefined ? null : escapeLine(shown.rollback_path)],
      ['evidence', shown.evidence === undefined ? null : formatEvidence(shown.evidence)],
      ['requested by', shown.requested_by === undefined ? null : escapeLine(shown.requested_by)],
      ...listApprovers(shown),
      ...listBudget(shown.budget),
      ['expires', expires_at === undefined ? null : `${formatInstant(expires_at)}, ${formatRelative(expires_at, now)}`],
    ]).map((line) => `  ${line}`),
    ...renderOtherFields(packet),
  ].join('\n');
}

/** Fields that `renderPacket` renders itself. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'gate',
  'action',
  'task',
  'parameters',
  'inputs',
  'provenance',
  'position',
  'cost',
  'approval_mode',
  'risk',
  'blast_radius',
  'rollback_path',
  'evidence',
  'evidence_refs',
  'requested_by',
  'deciders',
  'gates',
  'expires_at',
  'plan',
  'dry_run',
  'budget',
]);

/** Renders unknown fields too, so that the approver sees everything the hash covers. */
function renderOtherFields(packet: JsonObject): readonly string[] {
  const rest = Object.entries(packet).filter(([name, value]) => !KNOWN_FIELDS.has(name) && value !== null);
  return renderPairs(
    rest.map(([name, value]) => [name, typeof value === 'string' ? escapeLine(value) : escapeJson(value)]),
  ).map((line) => `  ${line}`);
}

/** Renders each argument with its sources. Untrusted sources are marked. */
function renderArguments(packet: JsonObject, paint: Paint): readonly string[] {
  const { parameters, provenance = {} }: Partial<ApprovalPacket> = packet as object;
  if (parameters === undefined) return [];
  return Object.entries(parameters).flatMap(([name, value]) => {
    const sources = Object.entries(provenance).filter(([pointer]) => isWithin(pointer, name));
    const marks = sources.map(([pointer, { source, trusted }]) => {
      const prefix = pointer === `/${name}` || pointer === '' ? '' : `${escapeLine(pointer)} `;
      const from = `${prefix}from ${escapeLine(source)}`;
      if (trusted) return paint('quiet', from);
      const why = source === MODEL_SOURCE ? ', which had read untrusted text' : '';
      return paint('bad', `${from}${why}, UNTRUSTED`);
    });
    const line = `  ${paint('accent', escapeLine(name))} = ${escapeJson(value)}`;
    return [marks.length === 0 ? line : `${line}  ${marks.join(', ')}`];
  });
}

/** Renders the results of earlier steps that the tool receives, each with its source. */
function renderInputs(inputs: NonNullable<ApprovalPacket['inputs']>, paint: Paint): readonly string[] {
  return inputs.map(({ key, value, source, evidence_id, trusted }) => {
    const from = `from ${escapeLine(source)} (${escapeLine(evidence_id)})`;
    const mark = trusted ? paint('quiet', from) : paint('bad', `${from}, UNTRUSTED`);
    return `  input ${paint('accent', escapeLine(key))} = ${escapeJson(value)}  ${mark}`;
  });
}

/** The source of a value that a model wrote. It is untrusted only in a plan that followed untrusted text. */
const MODEL_SOURCE = 'ambit:model';

const isWithin = (pointer: string, name: string): boolean => {
  const [first] = pointerKeys(pointer);
  return first === undefined || first === name;
};

function renderPlan(packet: JsonObject, paint: Paint): readonly string[] {
  const { dry_run, plan }: { readonly dry_run?: DryRun; readonly plan?: Plan } = packet as object;
  if (dry_run === undefined) return plan === undefined ? [] : [`  plan  ${escapeJson(plan)}`];
  return dry_run.calls.map(({ n, action, parameters, approval_mode, gates }) => {
    const opens = gates.length === 0 ? '' : paint('warning', `  opens ${gates.map(escapeLine).join(', ')}`);
    return `  ${n}. ${paint('strong', escapeLine(action))} ${escapeJson(parameters)} ${paint('quiet', approval_mode)}${opens}`;
  });
}

function formatCost({ input_tokens, output_tokens, microusd }: ApprovalPacket['cost']): string {
  const tokens = input_tokens + output_tokens;
  return tokens === 0 ? formatMoney(microusd) : `${formatMoney(microusd)}, ${tokens} tokens`;
}

function formatEvidence(evidence: ApprovalPacket['evidence']): string | null {
  if (evidence.length === 0) return null;
  return evidence.map(({ evidence_id, source }) => `${escapeLine(evidence_id)} (${escapeLine(source)})`).join(', ');
}

/** The budget of a handed-over run as `used/cap`: the dimensions that it used, all others, and the other limits. */
function listBudget(budget: JsonObject | null | undefined): readonly Pair[] {
  if (budget == null) return [];
  const { caps = {}, used = {} } = budget as Readonly<Record<string, JsonObject>>;
  const amounts = Object.entries(used).map(([name, amount]) => ({ name, amount, cap: caps[`${name}_max`] ?? '-' }));
  const list = (isUsed: boolean): string | null =>
    amounts
      .filter(({ amount }) => (amount !== 0) === isUsed)
      .map(({ name, amount, cap }) => escapeLine(`${name} ${String(amount)}/${String(cap)}`))
      .join(', ') || null;
  const others = Object.entries(caps).filter(([cap]) => !Object.hasOwn(used, cap.replace(/_max$/, '')));
  return [
    ['budget', list(true)],
    ['not used', list(false)],
    ['other limits', others.length === 0 ? null : escapeJson(Object.fromEntries(others))],
  ];
}

/** The approvers of the only gate, or those of each gate with its deadline. */
function listApprovers({ deciders, gates, requested_by }: Partial<ApprovalPacket>): readonly Pair[] {
  if (gates === undefined) {
    return [['approvers', deciders === undefined ? null : formatDeciders(deciders, requested_by)]];
  }
  return gates.map((each) => [
    'approvers',
    `${escapeLine(each.name)}: ${formatDeciders(each.deciders, requested_by)}, until ${formatInstant(each.expires_at)}`,
  ]);
}

type Pair = readonly [string, string | null];

function formatDeciders(deciders: ApprovalPacket['deciders'], requested_by: string | undefined): string {
  const roles = deciders.roles.length === 0 ? '' : ` with role ${deciders.roles.map(escapeLine).join(' or ')}`;
  const count = deciders.quorum === 1 ? 'one person' : `${deciders.quorum} different people`;
  return `${count}${roles}, except ${escapeLine(String(requested_by))}`;
}
