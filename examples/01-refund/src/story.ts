import { styleText } from 'node:util';
import type { JsonObject, Plan, RunOutcome } from 'ambit';
import { ApprovalPacket } from 'ambit/model';
import type { RunEvent } from 'ambit/records';
import type { Refund } from './ledger.ts';

const bold = (text: string): string => styleText('bold', text);
const dim = (text: string): string => styleText('dim', text);
const good = (text: string): string => styleText('green', text);
const bad = (text: string): string => styleText('red', text);
const MARGIN = ' '.repeat(11);

/** Numbers the headings as they are printed, because not every run prints all of them. */
export function titles(): (text: string) => string {
  let shown = 0;
  return (text) => {
    shown += 1;
    return `\n${bold(`${shown}. ${text}`)}`;
  };
}
export const indented = (text: string): string => dim(`${MARGIN}${text}`);

/** One line per event that the demo shows; other events are left out. */
export function describeEvents(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap(line);
}

function line(event: RunEvent): readonly string[] {
  switch (event.type) {
    case 'scope_resolved':
      return event.token === null ? [] : [`scope      may use ${event.token.allowed_tools.join(', ')}`];
    case 'run_initialized': {
      const { tool_calls_max, side_effects_max, wall_clock_seconds_max } = event.caps;
      return [
        `budget     ${tool_calls_max} tool calls, ${side_effects_max} side effect, ${wall_clock_seconds_max} s of wall clock`,
      ];
    }
    case 'plan_proposed':
      return planned(event.proposal as unknown as Plan);
    case 'plan_verified':
      return [
        `verified   ${event.verdict === 'ok' ? good('ok') : bad(event.verdict)} ${dim(`by ${event.checks.length} checks`)}`,
      ];
    case 'step_attempted':
      return [`${event.step_id}         intent stored, ${dim(`then the call: ${event.tool}`)}`];
    case 'call_reconciled':
      return [`           ${bold(event.finding)}, says ${event.probe} ${dim(JSON.stringify(event.raw))}`];
    case 'step_observed':
      return [
        `${MARGIN}observed ${event.outcome === 'ok' ? good('ok') : bad(event.outcome)} ${dim(JSON.stringify(event.raw))}`,
      ];
    case 'step_judged':
      return [`${MARGIN}judged   ${scores(event.scores)}`];
    case 'gate_decided':
      return [
        `decided    ${event.decision === 'approve' ? good('approved') : bad('rejected')} by ${event.approver}: ${event.reason}`,
      ];
    default:
      return [];
  }
}

function planned({ plan_id, steps }: Plan): readonly string[] {
  return [
    `plan       ${plan_id}, ${steps.length} steps, from a template without a model`,
    ...steps.map(({ id, tool, depends_on = [], requires = [] }) => {
      const after = depends_on.length === 0 ? '' : `  after ${depends_on.join(', ')}`;
      const gates = requires.length === 0 ? '' : `  ${styleText('yellow', requires.join(', '))}`;
      return `${MARGIN}${id}  ${tool}${dim(after)}${gates}`;
    }),
  ];
}

const scores = (values: Readonly<Record<string, number>>): string =>
  Object.entries(values)
    .map(([name, score]) => `${name} ${score}`)
    .join(', ');

/** The approval packet exactly as the person sees it. */
export function shownPacket(shown: JsonObject, hash: string): readonly string[] {
  const packet = ApprovalPacket.parse(shown);
  const { position, evidence, deciders } = packet;
  const sources = Object.entries(packet.provenance).map(
    ([pointer, { source, trusted }]) => `${pointer || 'all'} from ${source}${trusted ? '' : bad(' (untrusted)')}`,
  );
  return [
    `${MARGIN}${bold(packet.action)} ${JSON.stringify(packet.parameters)}`,
    `${MARGIN}step ${position?.n} of ${position?.of}, ${packet.approval_mode}, risk ${packet.risk}`,
    `${MARGIN}arguments ${sources.join(', ') || 'as planned'}`,
    `${MARGIN}evidence ${evidence.map(({ evidence_id, source }) => `${evidence_id} (${source})`).join(', ')}`,
    `${MARGIN}blast radius: ${packet.blast_radius}`,
    `${MARGIN}rollback: ${packet.rollback_path}`,
    `${MARGIN}decided by ${deciders.quorum} of ${deciders.roles.join(', ') || 'any approver'}, never by ${packet.requested_by}`,
    dim(`${MARGIN}packet ${hash}`),
  ];
}

export function ending({ status, terminalCode, reason, text, record }: RunOutcome): readonly string[] {
  const how = terminalCode === 'SUCCESS' ? good(terminalCode) : bad(String(terminalCode));
  const approvers =
    record?.approvals.flatMap(({ decision, approver }) => (decision === 'approve' ? [approver] : [])) ?? [];
  return [
    `ended      ${how} (${reason}), session ${status}`,
    `answer     ${text ?? 'none'}`,
    `record     ${record?.decision_id}, evidence ${record?.evidence_refs.join(', ') || 'none'}, approved by ${approvers.join(', ') || 'no one'}`,
  ];
}

export function booked(refunds: readonly Refund[]): string {
  const list = refunds.map((refund) => JSON.stringify(refund)).join(', ');
  const count = refunds.length === 1 ? good('one refund') : `${refunds.length} refunds`;
  return `ledger     ${count}${list === '' ? '' : ` ${dim(list)}`}`;
}
