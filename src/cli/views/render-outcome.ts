import type { RunOutcome } from '../../index.ts';
import type { RunDriver } from '../../records.ts';
import { renderPairs } from '../terminal/render-table.ts';
import { escapeJson, escapeText, type Paint, type Tone } from '../terminal/terminal.ts';
import { formatInstant, formatRelative } from './format.ts';

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
  const { runId, status, terminalCode, reason, why, text, verdict, record, degraded, doubts } = outcome;
  const code = terminalCode === null ? '' : `  ${paint(TONES[status], terminalCode)}`;
  const because = reason === null ? '' : paint('quiet', `  ${escapeText(reason)}`);
  return [
    `${paint('strong', runId)}  ${paint(TONES[status], status)}${code}${because}`,
    ...renderOriginLines(origin, paint),
    ...why.map((sentence) => `  ${escapeText(sentence)}`),
    ...renderPairs([
      ['driven by', driver === null ? null : describeDriver(driver)],
      ['answer', text === null ? null : escapeText(text)],
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
      ({ gateId, name, expiresAt }) =>
        ['waits at', `${name}  ${gateId}, expires ${formatRelative(expiresAt, now)}`] as const,
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

/** Lists the commands that continue a waiting run. Empty for a run that has ended. */
export function listNextCommands(outcome: RunOutcome, { origin, driver }: RunDetails): readonly string[] {
  const { runId, status, pending, question, inquiries, handoverHash, terminalCode } = outcome;
  // An imported run is decided in the store that it came from.
  if (terminalCode !== null || origin.imported !== null) return [];
  if (driver !== null) return [`ambit sessions watch ${runId}`];
  const asked = new Set(inquiries.map(({ gateId }) => gateId));
  const gates = pending.map(({ gateId, packetHash }) =>
    asked.has(gateId)
      ? `ambit gates answer ${gateId} --packet ${packetHash} --text "…" --as <name>`
      : `ambit gates show ${gateId}`,
  );
  if (gates.length > 0) return gates;
  if (question !== null) {
    const fields = question.fields.map((field) => `--answer ${field}=…`);
    return [
      `ambit sessions answer ${runId} ${(fields.length > 0 ? fields : ['--answer intent=…']).join(' ')} --as <name>`,
    ];
  }
  if (handoverHash !== null) {
    return [`ambit sessions show ${runId}`, ...listExtensions(outcome), formatDecideCommand(runId, handoverHash)];
  }
  return [status === 'paused' ? `ambit sessions resume ${runId} --as <name>` : `ambit sessions resume ${runId}`];
}

const listExtensions = ({ runId, handoverHash, suspended }: RunOutcome): readonly string[] =>
  suspended?.code === 'BUDGET_EXHAUSTED'
    ? [`ambit sessions extend ${runId} --add tool_calls=… --packet ${handoverHash} --reason "…" --as <name>`]
    : [];

const formatDecideCommand = (runId: string, packetHash: string): string =>
  `ambit sessions decide ${runId} continue|finalize|terminate --packet ${packetHash} --reason "…" --as <name>`;

/** The origin of a run that was forked or imported. Both fields are null for a run that started here. */
export interface RunOrigin {
  readonly fork: {
    readonly of: string;
    /** The checkpoint at which the fork starts. */
    readonly at: string;
    readonly simulated: boolean;
  } | null;
  readonly imported: { readonly at: number; readonly exportedAt: number } | null;
}

export const LOCAL_ORIGIN: RunOrigin = Object.freeze({ fork: null, imported: null });

function describeOrigin({ fork, imported }: RunOrigin): string {
  return [
    ...(fork === null ? [] : [`${fork.simulated ? 'simulated fork' : 'fork'} of ${fork.of} at ${fork.at}`]),
    ...(imported === null ? [] : [`imported, exported ${formatInstant(imported.exportedAt)}`]),
  ].join('; ');
}

/** Renders the origin as the last cell of a row. Returns no cell for a run that started here. */
export function renderOriginCell(origin: RunOrigin, paint: Paint): readonly string[] {
  const text = describeOrigin(origin);
  return text === '' ? [] : [paint('warning', text)];
}

/** Renders the origin as a warning line: a simulated or imported run has not changed anything here. */
export const renderOriginLines = (origin: RunOrigin, paint: Paint): readonly string[] =>
  renderOriginCell(origin, paint).map((text) => `  ${text}`);

/** Facts about a run that its outcome does not contain. */
export interface RunDetails {
  readonly origin: RunOrigin;
  /** The process that drives the run, if it is not this one. */
  readonly driver: Extract<RunDriver, { readonly here: false }> | null;
}

/** Describes a driver: `process 4711 on host`. The boot id after the machine name is left out. */
export const describeDriver = ({ pid, machine }: NonNullable<RunDetails['driver']>): string =>
  `process ${pid} on ${machine.split(' ')[0]}`;
