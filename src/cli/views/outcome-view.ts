import type { RunOutcome } from '../../index.ts';
import { printed, printedJson } from '../terminal/printed.ts';
import { pairs } from '../terminal/table.ts';
import type { Paint, Tone } from '../terminal/terminal.ts';
import { type AboutRun, driverWords } from './about-run.ts';
import { ago } from './instants.ts';
import { originLines } from './origin-view.ts';

const TONES: Readonly<Record<RunOutcome['status'], Tone>> = {
  in_progress: 'name',
  awaiting_gate: 'waits',
  paused: 'waits',
  completed: 'good',
  failed: 'bad',
  expired: 'bad',
  rejected: 'bad',
  cancelled: 'bad',
};

export const toneOf = (status: RunOutcome['status']): Tone => TONES[status];

/** How a run stands, in words. */
export function outcomeView(outcome: RunOutcome, { origin, driver }: AboutRun, now: number, paint: Paint): string {
  const { runId, status, terminalCode, reason, why, answer, verdict, record, degraded } = outcome;
  const code = terminalCode === null ? '' : `  ${paint(TONES[status], terminalCode)}`;
  const because = reason === null ? '' : paint('quiet', `  ${printed(reason)}`);
  return [
    `${paint('strong', runId)}  ${paint(TONES[status], status)}${code}${because}`,
    ...originLines(origin, paint),
    ...why.map((sentence) => `  ${printed(sentence)}`),
    ...pairs([
      ['driven by', driver === null ? null : driverWords(driver)],
      ['answer', answer === null ? null : printed(answer)],
      ['verdict', verdict === null ? null : `${verdict.verdict}, ${verdict.replan_attempts} re-plans`],
      ['decision', record === null ? null : decisionOf(record)],
      ['degraded', degraded.length === 0 ? null : printedJson(degraded)],
      ...waiting(outcome, now),
    ]).map((line) => `  ${line}`),
  ].join('\n');
}

function decisionOf({ decision_id, evidence_refs, approvals }: NonNullable<RunOutcome['record']>): string {
  const yes = approvals.filter(({ decision }) => decision === 'approve').map(({ approver }) => printed(approver));
  return `${printed(String(decision_id))}, rests on ${evidence_refs.map(printed).join(', ') || 'nothing'}, approved by ${yes.join(', ') || 'nobody'}`;
}

function waiting(
  { pending, question, inquiries, authority, suspended }: RunOutcome,
  now: number,
): readonly (readonly [string, string | null])[] {
  return [
    ...pending.map(
      ({ gateId, name, expiresAt }) => ['waits at', `${name}  ${gateId}, expires ${ago(expiresAt, now)}`] as const,
    ),
    ['asks', question === null ? null : [...question.fields, ...question.readings].map(printed).join(', ')],
    ...inquiries.map(
      ({ askedBy, askedOf, question: words }) =>
        ['inquiry', `${printed(askedBy)} asks ${printed(askedOf)}: ${printed(words)}`] as const,
    ),
    ['handed to', authority],
    ['unanswered', suspended === null ? null : `ends ${suspended.code} (${printed(suspended.reason)})`],
  ];
}
