import { styleText } from 'node:util';
import type { JsonObject, RunEvent, RunOutcome, RunRequest } from 'ambit';
import { ApprovalPacket } from 'ambit/model';

export interface Told {
  readonly request: RunRequest;
  readonly events: readonly RunEvent[];
  readonly packet: JsonObject;
  readonly outcome: RunOutcome;
  readonly refunds: readonly JsonObject[];
  readonly replayed: number;
}

const bold = (text: string): string => styleText('bold', text);
const dim = (text: string): string => styleText('dim', text);
const good = (text: string): string => styleText('green', text);
const bad = (text: string): string => styleText('red', text);

/** The run in words, from its events alone. */
export function tell({ request, events, packet, outcome, refunds, replayed }: Told): string {
  const lines = [
    bold(`"${request.goal.statement}"`),
    dim(`asked by ${request.identity.actor} for ${request.tenant_id}`),
    '',
    ...events.flatMap((event) => line(event, packet)),
    '',
    ...ending(outcome, refunds),
    dim(`Derived again from its journal, ${replayed} frames: every verdict and the record came out to the same bytes.`),
    dim('No tool was called for that, no model, no person.'),
  ];
  return lines.join('\n');
}

function line(event: RunEvent, packet: JsonObject): readonly string[] {
  switch (event.type) {
    case 'scope_resolved':
      return event.token === null ? [] : [`scope      may use ${event.token.allowed_tools.join(', ')}`];
    case 'run_initialized':
      return [
        `budget     ${event.caps.tool_calls_max} tool calls, ${event.caps.side_effects_max} side effect, ${event.caps.wall_clock_seconds_max} s`,
      ];
    case 'plan_verified':
      return [
        `plan       ${event.verdict === 'ok' ? good('ok') : bad(event.verdict)} ${dim(`${event.checks.length} checks: ${event.checks.join(', ')}`)}`,
      ];
    case 'step_attempted':
      return [`${event.step_id}         ${dim(`intent written, key ${event.idempotency_key.slice(0, 12)}…`)}`];
    case 'step_observed':
      return [
        `           observed ${event.outcome === 'ok' ? good('ok') : bad(event.outcome)} ${dim(JSON.stringify(event.raw))}`,
      ];
    case 'step_judged':
      return [
        `           judged   ${Object.entries(event.scores)
          .map(([name, score]) => `${name} ${score}`)
          .join(', ')}`,
      ];
    case 'gate_opened':
      return [
        '',
        `${styleText('yellow', event.name)} is shown exactly this, and nothing else can run:`,
        ...shownPacket(packet),
        dim(`           packet ${event.packet_hash.slice(0, 23)}…`),
      ];
    case 'gate_decided':
      return [
        `           ${event.decision === 'approve' ? good('approved') : bad('rejected')} by ${event.approver}: ${event.reason}`,
        '',
      ];
    default:
      return [];
  }
}

function shownPacket(shown: JsonObject): readonly string[] {
  const packet = ApprovalPacket.parse(shown);
  const { position, evidence, deciders } = packet;
  const sources = Object.entries(packet.provenance).map(
    ([pointer, { source, trusted }]) => `${pointer || 'all'} from ${source}${trusted ? '' : bad(' (untrusted)')}`,
  );
  return [
    `           ${packet.action} ${JSON.stringify(packet.parameters)}`,
    `           step ${position?.n} of ${position?.of}, ${packet.approval_mode}, risk ${packet.risk}`,
    `           arguments ${sources.join(', ') || 'as planned'}`,
    `           rests on ${evidence.map(({ evidence_id, source }) => `${evidence_id} (${source})`).join(', ')}`,
    `           reach ${packet.blast_radius} Back: ${packet.rollback_path}`,
    `           decided by ${deciders.quorum} of ${deciders.roles.join(', ') || 'anybody'}, never by ${packet.requested_by}`,
  ];
}

function ending(
  { status, terminalCode, reason, answer, verdict, record }: RunOutcome,
  refunds: readonly JsonObject[],
): readonly string[] {
  const how = terminalCode === 'SUCCESS' ? good(terminalCode) : bad(String(terminalCode));
  return [
    `${bold('ended')}      ${how} (${reason}), session ${status}`,
    `answer     ${answer ?? 'none was given'}`,
    `verdict    ${verdict?.verdict ?? 'none'}, ${verdict?.replan_attempts ?? 0} re-plans, ${verdict?.loop_guard_trips ?? 0} loop-guard trips`,
    `record     ${record?.decision_id}, evidence ${record?.evidence_refs.join(', ') || 'none'}, approved by ${
      record?.approvals
        .filter(({ decision }) => decision === 'approve')
        .map(({ approver }) => approver)
        .join(', ') || 'nobody'
    }`,
    `world      ${refunds.length === 0 ? 'nothing was paid' : refunds.map((refund) => JSON.stringify(refund)).join(', ')}`,
    '',
  ];
}
