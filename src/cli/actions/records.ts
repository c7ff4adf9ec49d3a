import type { Records } from '../../records.ts';
import { formatHint } from '../cli-fault.ts';
import { type Action, argument, getExitCode, isFlagSet } from '../command.ts';
import { readOrigin, readTrace } from '../shared/read-run.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import { escapeText } from '../terminal/escape.ts';
import { renderPairs } from '../terminal/render-table.ts';
import type { Paint } from '../terminal/terminal.ts';
import { formatCount } from '../views/format.ts';
import { renderDecisions, renderTrace } from '../views/render-trace.ts';

export const showTraceAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal, flags }) => {
    const runId = argument(call, 'session');
    if (isFlagSet(flags, 'otlp')) {
      const traces = await runtime.records.otel(runId);
      terminal.show(traces, () => JSON.stringify(traces));
      return getExitCode('done');
    }
    const found = await readTrace(runtime, runId);
    const account = await runtime.records.account(runId);
    const origin = await readOrigin(runtime, runId);
    terminal.show({ account, origin, trace: found }, () => renderTrace(found, { account, origin }, terminal));
    return getExitCode('done');
  });

export const diffSessionsAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal }) => {
    const found = await runtime.records.diff(argument(call, 'session'), argument(call, 'other'));
    terminal.show(found, () => renderDiff(found, terminal.paint));
    return getExitCode(found.first === null ? 'done' : 'found');
  });

type RunDiff = Awaited<ReturnType<Records['diff']>>;

function renderDiff({ first, decisions, a, b }: RunDiff, paint: Paint): string {
  const summary = (run: RunDiff['a']): string =>
    `${run.run_id}  ${run.terminal_code ?? 'not ended'}, ${formatCount(run.events, 'event')}, ${formatCount(run.plans, 'plan')}, calls ${run.calls.join(' ') || 'none'}`;
  if (first === null) return `${paint('good', '✓')} identical, apart from ids and times`;
  return [
    `${paint('bad', '-')} ${summary(a)}`,
    `${paint('good', '+')} ${summary(b)}`,
    `First difference at event ${first.event}: ${first.message}`,
    ...renderDecisions(decisions, paint),
  ].join('\n');
}

export const diagnoseSessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal }) => {
    const runId = argument(call, 'session');
    const found = await runtime.records.diagnose(runId);
    terminal.show(found, () =>
      found.length === 0
        ? `No known failure pattern found. Why the run ended or waits: ${formatHint(`ambit sessions show ${runId}`)}`
        : found
            .map(({ family, shownBy, ...rest }) =>
              [
                terminal.paint('warning', family),
                ...renderPairs(
                  Object.entries({ 'shown by': shownBy, ...rest }).map(([name, value]) => [
                    name,
                    escapeText(String(value)),
                  ]),
                ),
              ].join('\n  '),
            )
            .join('\n\n'),
    );
  });
