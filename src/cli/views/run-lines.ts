import { printed } from '../terminal/printed.ts';
import type { Paint, Tone } from '../terminal/terminal.ts';
import { duration } from './instants.ts';
import type { Gauge, RunView, StepState, StepView } from './run-view.ts';

const MARKS: Readonly<Record<StepState, readonly [mark: string, tone: Tone]>> = {
  planned: ['·', 'quiet'],
  cleared: ['○', 'quiet'],
  waits: ['▲', 'waits'],
  runs: ['►', 'name'],
  observed: ['◐', 'name'],
  committed: ['✓', 'good'],
  failed: ['✗', 'bad'],
  refused: ['✗', 'bad'],
};

/** A run on the screen: the goal, its plan with where each step stands, and how much of its bounds is used. */
export function runLines(view: RunView, paint: Paint): readonly string[] {
  const { goal, phase, startedAt, now, steps, gauges, ended, waitsSince, waitedMs } = view;
  const worked = (waitsSince ?? now) - startedAt - waitedMs;
  const state = ended === null ? paint('name', phase) : printed(ended);
  return [
    `${paint('strong', printed(goal))}  ${state}  ${paint('quiet', duration(now - startedAt))}`,
    ...steps.map((step) => stepLine(step, Math.max(...steps.map(({ id }) => id.length)), paint)),
    ...(gauges.length === 0 ? [] : [`  ${gauges.map((gauge) => gaugeText(timed(gauge, worked), paint)).join('   ')}`]),
  ];
}

function stepLine({ id, tool, state, detail }: StepView, width: number, paint: Paint): string {
  const [mark, tone] = MARKS[state];
  const more = detail === '' ? '' : paint(tone, `  ${printed(detail)}`);
  return `  ${paint(tone, mark)} ${paint('quiet', printed(id).padEnd(width))}  ${printed(tool)}${more}`;
}

const timed = (gauge: Gauge, ms: number): Gauge =>
  gauge.name === 'seconds' ? { ...gauge, used: Math.floor(ms / 1000) } : gauge;

const CELLS = 10;

function gaugeText({ name, used, max }: Gauge, paint: Paint): string {
  const share = max === 0 ? 0 : Math.min(1, used / max);
  const full = Math.ceil(share * CELLS);
  const bar = `${'█'.repeat(full)}${'░'.repeat(CELLS - full)}`;
  return `${paint('quiet', name)} ${paint(share >= 0.8 ? 'waits' : 'good', bar)} ${used}/${max}`;
}
