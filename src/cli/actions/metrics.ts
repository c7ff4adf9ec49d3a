import { signingText } from '../../approvals.ts';
import { type LabelFields, type MetricsQuery, otlpMetrics, prometheusText, type StoreMetrics } from '../../records.ts';
import {
  type Action,
  argument,
  type Flags,
  getExitCode,
  readListFlag,
  readNumberFlag,
  readTextFlag,
} from '../command.ts';
import { requireDecider, requireReason } from '../decider.ts';
import { readJsonFile } from '../files.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import { openLiveLines } from '../terminal/live-lines.ts';
import { renderMetrics } from '../views/render-metrics.ts';

/** Number of periods of the trend that the table shows. */
const TREND_PERIODS = 12;

export const reportMetricsAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal, flags }) => {
    const live = openLiveLines(process.stderr);
    const report = await runtime.records.metrics(readQuery(flags), {
      onProgress: (done, of) => {
        if (terminal.isLive) live.draw([`Reading sessions: ${done} of ${of}`]);
      },
    });
    const format = readTextFlag(flags, 'format') ?? 'text';
    if (format === 'prometheus') terminal.show(prometheusText(report), () => prometheusText(report).trimEnd());
    else if (format === 'otlp') terminal.show(otlpMetrics(report), () => JSON.stringify(otlpMetrics(report)));
    else terminal.show(report, () => renderMetrics(report, terminal));
    return getExitCode(missesTarget(report) ? 'found' : 'done');
  });

export const labelSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const run_id = argument(call, 'session');
    const reason = requireReason(call);
    const fields = readLabel(flags);
    const credential = requireDecider(flags, config).signText((signed) =>
      signingText.label({ run_id, fields, reason, ...signed }),
    );
    const label = await runtime.records.label(run_id, { fields, reason, credential });
    terminal.show(label, () => `${terminal.paint('good', '✓')} labelled ${run_id} by ${label.by}`);
  });

function readLabel(flags: Flags): LabelFields {
  const answer = (name: string): boolean | null => {
    const text = readTextFlag(flags, name);
    return text === null ? null : text === 'yes';
  };
  const path = readListFlag(flags, 'reference');
  const fields = {
    success: answer('success'),
    expected_code: readTextFlag(flags, 'expected'),
    anomaly: answer('anomaly'),
    reference_path: path.length === 0 ? null : path,
    corrections: readNumberFlag(flags, 'corrections'),
    overrides: readNumberFlag(flags, 'overrides'),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as LabelFields;
}

function readQuery(flags: Flags): MetricsQuery {
  const since = readNumberFlag(flags, 'since');
  const file = readTextFlag(flags, 'targets');
  const named = ['agent', 'tenant', 'risk', 'by'].flatMap((name) => {
    const value = readTextFlag(flags, name);
    return value === null ? [] : [[name, value] as const];
  });
  return {
    ...(Object.fromEntries(named) as Pick<MetricsQuery, 'agent' | 'tenant' | 'risk' | 'by'>),
    ...(since === null ? {} : { since: Math.max(0, Date.now() - since) }),
    ...(file === null ? {} : readTargets(file)),
    periods: TREND_PERIODS,
  };
}

/** The runtime checks the targets and names the wrong field. */
const readTargets = (file: string): Pick<MetricsQuery, 'targets'> =>
  readJsonFile(file, '--targets') as unknown as Pick<MetricsQuery, 'targets'>;

const missesTarget = ({ groups }: StoreMetrics): boolean =>
  groups.some(({ metrics }) => metrics.some(({ verdict }) => verdict === 'fail'));
