import type {
  Bound,
  MetricGroupReport,
  MetricPart,
  MetricResult,
  MetricUnit,
  MetricVerdict,
  StoreMetrics,
} from '../../records.ts';
import { escapeText } from '../terminal/escape.ts';
import { renderTable } from '../terminal/render-table.ts';
import type { CliTerminal, Paint, Tone } from '../terminal/terminal.ts';
import { formatCount, formatDuration, formatInstant, formatMoney } from './format.ts';

type Screen = Pick<CliTerminal, 'paint' | 'columns'>;

/** A report as tables, one for each group, with the runs behind each missed target. */
export function renderMetrics(
  { runs, from, to, groups, unread, unproven_labels }: StoreMetrics,
  screen: Screen,
): string {
  const lines: string[] = [];
  if (from === null || to === null) lines.push('No ended sessions.');
  else lines.push(`${formatCount(runs, 'session')} that ended from ${formatInstant(from)} to ${formatInstant(to)}`);
  for (const group of runs === 0 ? [] : groups) lines.push('', ...renderGroup(group, screen));
  if (unread.length > 0) {
    lines.push('', screen.paint('warning', `${formatCount(unread.length, 'session')} could not be read:`));
    lines.push(
      ...unread.slice(0, SHOWN).map(({ run_id, code, message }) => `  ${run_id}  ${code}: ${escapeText(message)}`),
    );
  }
  if (unproven_labels > 0)
    lines.push(
      '',
      screen.paint('warning', `${formatCount(unproven_labels, 'label')} without a valid signature not counted`),
    );
  return lines.join('\n');
}

/** Number of runs that the text names; the JSON names more. */
const SHOWN = 5;

function renderGroup(
  { key, runs, labelled, metrics }: MetricGroupReport,
  { paint, columns }: Screen,
): readonly string[] {
  const named = Object.entries(key).map(([name, value]) => `${name} ${escapeText(value)}`);
  const heading = [...named, formatCount(runs, 'session'), `${labelled} labelled`].join(', ');
  const rows = metrics.flatMap((metric) => metric.parts.map((part, place) => renderRow(metric, part, place, paint)));
  const failed = metrics.filter(({ verdict }) => verdict === 'fail');
  return [
    paint('strong', heading),
    renderTable(['METRIC', 'VALUE', 'TARGET', 'VERDICT', 'TREND', 'OF'], rows, columns()),
    ...failed.flatMap((metric) => renderNamed(metric, paint)),
  ];
}

function renderRow(
  { title, unit, target, verdict, series }: MetricResult,
  part: MetricPart,
  place: number,
  paint: Paint,
): readonly string[] {
  const [word, tone] = VERDICTS[verdict];
  return [
    part.name === null ? title : `${title} (${part.name})`,
    formatPart(part, unit),
    target === null ? '' : formatBound(target, unit),
    paint(tone, word),
    place === 0 ? sparkline(series) : '',
    `${trimNumber(part.numerator)} / ${trimNumber(part.denominator)}`,
  ];
}

const VERDICTS: Readonly<Record<MetricVerdict, readonly [string, Tone]>> = {
  pass: ['pass', 'good'],
  fail: ['fail', 'bad'],
  no_target: ['no target', 'quiet'],
  no_data: ['no data', 'quiet'],
};

function formatPart({ value, interval }: MetricPart, unit: MetricUnit): string {
  if (value === null) return '–';
  const text = formatValue(value, unit);
  return interval === null ? text : `${text} (${formatValue(interval[0], unit)} to ${formatValue(interval[1], unit)})`;
}

const formatBound = (bound: Bound, unit: MetricUnit): string =>
  'at_least' in bound ? `≥ ${formatValue(bound.at_least, unit)}` : `≤ ${formatValue(bound.at_most, unit)}`;

function formatValue(value: number, unit: MetricUnit): string {
  switch (unit) {
    case 'share':
      return `${trimNumber(value * 100)} %`;
    case 'usd':
      return formatMoney(value * 1_000_000);
    case 'ms':
      return formatDuration(value);
    default:
      return trimNumber(value);
  }
}

const trimNumber = (value: number): string => String(Number(value.toFixed(2)));

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** One bar for each period, from the lowest to the highest value. A period without data is a blank. */
function sparkline(series: readonly (number | null)[]): string {
  const values = series.filter((value) => value !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const barOf = (value: number): string => {
    const place = high === low ? 0 : Math.round(((value - low) / (high - low)) * (BARS.length - 1));
    return BARS[place] ?? '';
  };
  return series
    .map((value) => (value === null ? ' ' : barOf(value)))
    .join('')
    .trimEnd();
}

function renderNamed({ title, parts }: MetricResult, paint: Paint): readonly string[] {
  const named = parts.flatMap((part) => part.named);
  if (named.length === 0) return [];
  const more = named.length > SHOWN ? [`  and ${named.length - SHOWN} more: see --json`] : [];
  return [paint('bad', `${title}:`), ...named.slice(0, SHOWN).map((each) => `  ${escapeText(each)}`), ...more];
}
