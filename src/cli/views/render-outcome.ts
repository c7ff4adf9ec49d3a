import type { RunOutcome } from '../../index.ts';
import { escapeJson, escapeText } from '../terminal/escape.ts';
import { renderPairs } from '../terminal/render-table.ts';
import type { Paint, Tone } from '../terminal/terminal.ts';
import { describeProgress } from './describe-progress.ts';
import { formatInstant, formatRelative } from './format.ts';
import { describeDriver, type RunDetails, renderOriginLines } from './run-details.ts';

const TONES: Readonly<Record<RunOutcome['status'], Tone>> = {
  in_progress: 'accent',
  awaiting_gate: 'warning',
  paused: 'warning',
  completed: 'good',
  failed: 'bad',
  expired: 'bad',
  rejected: 'bad',
  cancelled: 'bad',
};

export const getStatusTone = (status: RunOutcome['status']): Tone => TONES[status];

export function renderOutcome(outcome: RunOutcome, { origin, driver }: RunDetails, now: number, paint: Paint): string {
  const { runId, status, terminalCode, reason, why, text, output, verdict, record, degraded, doubts } = outcome;
  const code = terminalCode === null ? '' : `  ${paint(TONES[status], terminalCode)}`;
  const because = reason === null ? '' : paint('quiet', `  ${escapeText(reason)}`);
  return [
    `${paint('strong', runId)}  ${paint(TONES[status], status)}${code}${because}`,
    ...renderOriginLines(origin, paint),
    ...why.map((sentence) => `  ${escapeText(sentence)}`),
    ...renderPairs([
      ['driven by', driver === null ? null : describeDriver(driver)],
      ['answer', text === null ? null : escapeText(text)],
      ['output', output === null ? null : escapeJson(output)],
      ['untrusted', listUntrusted(outcome)],
      ['verdict', verdict === null ? null : `${verdict.verdict}, ${verdict.replan_attempts} re-plans`],
      ['decision', record === null ? null : formatDecision(record)],
      ...doubts.map(
        ({ tool, stepId, since }) =>
          [
            'in doubt',
            `${escapeText(tool)}${stepId === null ? '' : ` (step ${escapeText(stepId)})`}, sent ${formatInstant(since)}`,
          ] as const,
      ),
      ['degraded', degraded.length === 0 ? null : escapeJson(degraded)],
      ...listWaits(outcome, now),
    ]).map((line) => `  ${line}`),
  ].join('\n');
}

/** The leaves of the output that an untrusted source supplied; null if there are none. */
function listUntrusted({ outputEvidence }: RunOutcome): string | null {
  const places = Object.entries(outputEvidence).flatMap(([place, { trusted }]) => (trusted ? [] : [`output${place}`]));
  return places.length === 0 ? null : places.map(escapeText).join(', ');
}

function formatDecision({ decision_id, evidence_refs, approvals }: NonNullable<RunOutcome['record']>): string {
  const approvers = approvals
    .filter(({ decision }) => decision === 'approve')
    .map(({ approver }) => escapeText(approver));
  return `${escapeText(String(decision_id))}, evidence ${evidence_refs.map(escapeText).join(', ') || 'none'}, approved by ${approvers.join(', ') || 'none'}`;
}

function listWaits(
  { pending, question, inquiries, authority, suspended }: RunOutcome,
  now: number,
): readonly (readonly [string, string | null])[] {
  return [
    ...pending.map(
      ({ gateId, gates, expiresAt }) =>
        ['waits at', `${describeProgress(gates)}  ${gateId}, expires ${formatRelative(expiresAt, now)}`] as const,
    ),
    ['asks for', question === null ? null : [...question.fields, ...question.readings].map(escapeText).join(', ')],
    ...inquiries.map(
      ({ askedBy, askedOf, question: text }) =>
        ['question', `${escapeText(askedBy)} asks ${escapeText(askedOf)}: ${escapeText(text)}`] as const,
    ),
    ['escalated to', authority],
    ['on timeout', suspended === null ? null : `ends with ${suspended.code} (${escapeText(suspended.reason)})`],
  ];
}
