import { escapeText } from '../terminal/escape-text.ts';
import type { Paint, Tone } from '../terminal/terminal.ts';
import { formatDuration } from './format.ts';
import type { Gauge, RunView, StepState, StepView } from './run-view.ts';

const MARKS: Readonly<Record<StepState, readonly [mark: string, tone: Tone]>> = {
  planned: ['·', 'quiet'],
  cleared: ['○', 'quiet'],
  waiting: ['▲', 'warning'],
  running: ['►', 'accent'],
  observed: ['◐', 'accent'],
  committed: ['✓', 'good'],
  failed: ['✗', 'bad'],
  refused: ['✗', 'bad'],
};

/** Renders a run: its goal, the state of each step and the used budget. */
export function renderRun(view: RunView, paint: Paint): readonly string[] {
  const { goal, phase, startedAt, now, steps, gauges, ended, waitsSince, waitedMs } = view;
  const activeMs = (waitsSince ?? now) - startedAt - waitedMs;
  const state = ended === null ? paint('accent', phase) : escapeText(ended);
  return [
    `${paint('strong', escapeText(goal))}  ${state}  ${paint('quiet', formatDuration(now - startedAt))}`,
    ...steps.map((step) => renderStep(step, Math.max(...steps.map(({ id }) => id.length)), paint)),
    ...(gauges.length === 0
      ? []
      : [`  ${gauges.map((gauge) => renderGauge(updateSeconds(gauge, activeMs), paint)).join('   ')}`]),
  ];
}

function renderStep({ id, tool, state, detail }: StepView, width: number, paint: Paint): string {
  const [mark, tone] = MARKS[state];
  const suffix = detail === '' ? '' : paint(tone, `  ${escapeText(detail)}`);
  return `  ${paint(tone, mark)} ${paint('quiet', escapeText(id).padEnd(width))}  ${escapeText(tool)}${suffix}`;
}

const updateSeconds = (gauge: Gauge, ms: number): Gauge =>
  gauge.name === 'seconds' ? { ...gauge, used: Math.floor(ms / 1000) } : gauge;

const CELLS = 10;

function renderGauge({ name, used, max }: Gauge, paint: Paint): string {
  const share = max === 0 ? 0 : Math.min(1, used / max);
  const full = Math.ceil(share * CELLS);
  const bar = `${'█'.repeat(full)}${'░'.repeat(CELLS - full)}`;
  return `${paint('quiet', name)} ${paint(share >= 0.8 ? 'warning' : 'good', bar)} ${used}/${max}`;
}
