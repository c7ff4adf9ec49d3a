import { expect, test } from 'vitest';
import type { RunEvent } from '../../index.ts';
import type { Paint } from '../terminal/terminal.ts';
import { runLines } from './run-lines.ts';
import { NOTHING_YET, watched } from './run-view.ts';

const plain: Paint = (_, text) => text;
const spent = { input_tokens: 30, output_tokens: 10, microusd: 0 };
const caps = {
  tool_calls_max: 4,
  steps_max: 10,
  input_tokens_max: 80,
  output_tokens_max: 20,
  wall_clock_seconds_max: 60,
};
const steps = [
  { id: 'look', tool: 'orders.lookup', params: {} },
  { id: 'refund', tool: 'payments.refund', params: {} },
];

const said = (at: number, type: string, body: object): RunEvent => ({ type, at, ...body }) as unknown as RunEvent;
const begun = [
  said(0, 'goal_received', { goal: { statement: 'Refund \u001b[31mit' } }),
  said(0, 'run_initialized', { caps }),
  said(10, 'plan_proposed', { proposal: { steps } }),
  said(10, 'step_attempted', { call_id: 'c1', step_id: 'look', tool: 'orders.lookup', attempt: 1 }),
  said(20, 'step_observed', { call_id: 'c1', outcome: 'ok', spent }),
  said(20, 'step_committed', { call_id: 'c1' }),
  said(1000, 'gate_opened', { step_id: 'refund', name: 'GATE_REFUND' }),
];
const shown = (...more: readonly RunEvent[]): readonly string[] =>
  runLines([...begun, ...more].reduce(watched, NOTHING_YET), plain);

test('a run that waits shows its plan, where it waits, and what it has used of its bounds', () => {
  expect(shown()).toEqual([
    'Refund \\u{1b}[31mit  waiting for a person  1 s',
    '  ✓ look    orders.lookup',
    '  ▲ refund  payments.refund  GATE_REFUND',
    expect.stringContaining('tool calls ███░░░░░░░ 1/4   steps █░░░░░░░░░ 1/10   tokens ████░░░░░░ 40/100'),
  ]);
});

test('time that people take is no time of the run', () => {
  const decided = said(50_000, 'gate_decided', { gate_id: 'g', decision: 'approve' });
  const over = said(52_000, 'run_terminated', { code: 'SUCCESS', reason: 'goal_met' });
  const lines = shown(decided, over);
  expect(lines[0]).toContain('SUCCESS (goal_met)  52 s');
  expect(lines.at(-1)).toContain('seconds █░░░░░░░░░ 3/60');
});

test('what fails says why, what is refused where', () => {
  const failed = said(1100, 'step_observed', { call_id: 'c2', outcome: 'error', detail: 'no such order', spent });
  const again = said(1050, 'step_attempted', { call_id: 'c2', step_id: 'look', tool: 'orders.lookup', attempt: 2 });
  expect(shown(again)[1]).toBe('  ► look    orders.lookup  attempt 2');
  expect(shown(again, failed)[1]).toBe('  ✗ look    orders.lookup  error: no such order');
  const refused = said(1100, 'step_refused', { step_id: 'refund', code: 'permission_denied', layer: 'permission' });
  expect(shown(refused)[2]).toBe('  ✗ refund  payments.refund  permission_denied at permission');
});
