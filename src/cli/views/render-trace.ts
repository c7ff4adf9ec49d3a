import type { Records, WhatIf } from '../../records.ts';
import { escapeJson, escapeText } from '../terminal/escape.ts';
import { renderTable } from '../terminal/render-table.ts';
import type { CliTerminal, Paint, Tone } from '../terminal/terminal.ts';
import { formatInstant } from './format.ts';
import { type RunOrigin, renderOriginLines } from './run-details.ts';

type RunTrace = Awaited<ReturnType<Records['trace']>>;

interface TraceContext {
  readonly account: string;
  readonly origin: RunOrigin;
}

/** Renders a trace: a summary sentence, then calls, decisions, failed checks and budget. */
export function renderTrace(
  trace: RunTrace,
  { account, origin }: TraceContext,
  { paint, columns }: CliTerminal,
): string {
  const tone: Tone = trace.terminal_code === 'SUCCESS' ? 'good' : 'bad';
  return [
    `${paint('strong', trace.run_id)}  ${paint(tone, trace.terminal_code)}`,
    ...renderOriginLines(origin, paint),
    escapeText(account),
    ...renderSection(
      'calls',
      ['TOOL', 'RESULT', 'ARGUMENTS', 'REQUEST'],
      trace.tool_calls.map(({ tool, result_status, said_by, args_hash, request_id }) => [
        escapeText(tool),
        paint(
          result_status === 'ok' ? 'good' : 'bad',
          said_by === undefined ? result_status : `${result_status}, reported by ${escapeText(said_by)}`,
        ),
        args_hash.slice(0, 19),
        request_id,
      ]),
      { paint, columns },
    ),
    ...renderSection(
      'decisions',
      ['REQUEST', 'DECISION', 'BY', 'OUTCOME', 'SETTLED'],
      trace.escalation_events.map(({ request, decision, approver, outcome, settled_at }) => [
        request.kind === 'gate' ? request.name : request.kind,
        decision,
        escapeText(approver),
        outcome,
        settled_at === null ? '-' : formatInstant(settled_at),
      ]),
      { paint, columns },
    ),
    ...renderSection(
      'failed checks',
      ['KIND', 'STEP', 'VALIDATOR', 'DETAIL'],
      trace.validation_results
        .filter(({ passed }) => !passed)
        .map(({ kind, step_id, validator_id, detail }) => [kind, step_id ?? '-', validator_id, escapeText(detail)]),
      { paint, columns },
    ),
    ...renderSection('budget', ['DIMENSION', 'USED', 'MAX'], listBudgetRows(trace), { paint, columns }),
  ].join('\n');
}

function renderSection(
  title: string,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { paint, columns }: Pick<CliTerminal, 'paint' | 'columns'>,
): readonly string[] {
  return rows.length === 0 ? [] : ['', paint('strong', title), renderTable(headings, rows, columns())];
}

/** Lists only the dimensions that the run used. */
function listBudgetRows({ budget_vector: { caps, used } }: RunTrace): readonly (readonly string[])[] {
  const limits = (caps ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(used)
    .filter(([, amount]) => amount > 0)
    .map(([name, amount]) => [name, String(amount), String(limits[`${name.replace(/_used$/, '')}_max`] ?? '-')]);
}

/** Renders decisions that differ: the recorded one after `-`, the derived one after `+`. */
export const renderDecisions = (decisions: WhatIf['decisions'], paint: Paint): readonly string[] =>
  decisions.flatMap(({ about, recorded, derived }) => [
    paint('strong', about),
    `  ${paint('bad', '-')} ${recorded === null ? 'not decided' : escapeJson(recorded)}`,
    `  ${paint('good', '+')} ${derived === null ? 'not decided' : escapeJson(derived)}`,
  ]);
