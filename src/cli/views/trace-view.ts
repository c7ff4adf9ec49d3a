import type { RunRecords } from '../../index.ts';
import { printed } from '../terminal/printed.ts';
import { table } from '../terminal/table.ts';
import type { Terminal, Tone } from '../terminal/terminal.ts';
import { instant } from './instants.ts';
import { type Origin, originLines } from './origin-view.ts';

type RunTrace = Awaited<ReturnType<RunRecords['trace']>>;

interface Told {
  readonly account: string;
  readonly origin: Origin;
}

/** The whole path of a run: the sentence first, then what it called, who was asked, what was checked, what it took. */
export function traceView(trace: RunTrace, { account, origin }: Told, { paint, columns }: Terminal): string {
  const tone: Tone = trace.terminal_code === 'SUCCESS' ? 'good' : 'bad';
  return [
    `${paint('strong', trace.run_id)}  ${paint(tone, trace.terminal_code)}`,
    ...originLines(origin, paint),
    printed(account),
    ...section(
      'calls',
      ['TOOL', 'RESULT', 'ARGUMENTS', 'REQUEST'],
      trace.tool_calls.map(({ tool, result_status, said_by, args_hash, request_id }) => [
        printed(tool),
        paint(
          result_status === 'ok' ? 'good' : 'bad',
          said_by === undefined ? result_status : `${result_status}, said by ${printed(said_by)}`,
        ),
        args_hash.slice(0, 19),
        request_id,
      ]),
      { paint, columns },
    ),
    ...section(
      'people',
      ['ASKED', 'DECISION', 'BY', 'OUTCOME', 'SETTLED'],
      trace.escalation_events.map(({ request, decision, approver, outcome, settled_at }) => [
        request.kind === 'gate' ? request.name : request.kind,
        decision,
        printed(approver),
        outcome,
        settled_at === null ? '-' : instant(settled_at),
      ]),
      { paint, columns },
    ),
    ...section(
      'checks that failed',
      ['KIND', 'STEP', 'BY', 'WHY'],
      trace.validation_results
        .filter(({ passed }) => !passed)
        .map(({ kind, step_id, validator_id, detail }) => [kind, step_id ?? '-', validator_id, printed(detail)]),
      { paint, columns },
    ),
    ...section('budget', ['DIMENSION', 'USED', 'MAX'], budgetRows(trace), { paint, columns }),
  ].join('\n');
}

function section(
  title: string,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { paint, columns }: Pick<Terminal, 'paint' | 'columns'>,
): readonly string[] {
  return rows.length === 0 ? [] : ['', paint('strong', title), table(headings, rows, columns())];
}

/** Only what was touched: a budget has more dimensions than a run uses. */
function budgetRows({ budget_vector: { caps, used } }: RunTrace): readonly (readonly string[])[] {
  const limits = (caps ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(used)
    .filter(([, amount]) => amount > 0)
    .map(([name, amount]) => [name, String(amount), String(limits[`${name.replace(/_used$/, '')}_max`] ?? '-')]);
}
