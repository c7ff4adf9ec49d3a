import { expect, test } from 'vitest';
import type { RunEvent } from '../../records.ts';
import type { Paint } from '../terminal/terminal.ts';
import { applyEvent, EMPTY_RUN_VIEW, renderRun } from './render-run.ts';

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

const event = (at: number, type: string, body: object): RunEvent => ({ type, at, ...body }) as unknown as RunEvent;
const started = [
  event(0, 'goal_received', { goal: { statement: 'Refund \u001b[31mit' } }),
  event(0, 'run_initialized', { caps }),
  event(10, 'plan_proposed', { proposal: { steps } }),
  event(10, 'step_attempted', { call_id: 'c1', step_id: 'look', tool: 'orders.lookup', attempt: 1 }),
  event(20, 'step_observed', { call_id: 'c1', outcome: 'ok', spent }),
  event(20, 'step_committed', { call_id: 'c1' }),
  event(1000, 'gate_opened', { step_id: 'refund', name: 'GATE_REFUND' }),
];
const render = (...more: readonly RunEvent[]): readonly string[] =>
  renderRun([...started, ...more].reduce(applyEvent, EMPTY_RUN_VIEW), plain);

test('renders the plan, the open gate and the used budget of a waiting run', () => {
  expect(render()).toEqual([
    'Refund \\u{1b}[31mit  waiting for a person  1 s',
    '  ✓ look    orders.lookup',
    '  ▲ refund  payments.refund  GATE_REFUND',
    expect.stringContaining('tool calls ███░░░░░░░ 1/4   steps █░░░░░░░░░ 1/10   tokens ████░░░░░░ 40/100'),
  ]);
});

test('counts a step whose call failed, and a second attempt of it not again', () => {
  const failing = event(30, 'step_attempted', {
    call_id: 'c2',
    step_id: 'refund',
    tool: 'payments.refund',
    attempt: 1,
  });
  const again = { ...failing, attempt: 2 } as RunEvent;
  const failed = event(40, 'step_observed', { call_id: 'c2', outcome: 'error', spent });
  expect(render(failing, failed, again, failed).at(-1)).toContain('tool calls ████████░░ 3/4   steps ██░░░░░░░░ 2/10');
});

test('does not count the time that people take', () => {
  const decided = event(50_000, 'gate_decided', { gate_id: 'g', decision: 'approve' });
  const ended = event(52_000, 'run_terminated', { code: 'SUCCESS', reason: 'goal_met' });
  const lines = render(decided, ended);
  expect(lines[0]).toContain('SUCCESS (goal_met)  52 s');
  expect(lines.at(-1)).toContain('seconds █░░░░░░░░░ 3/60');
});

test('renders the reason of a failed step and the layer of a refused step', () => {
  const failed = event(1100, 'step_observed', { call_id: 'c2', outcome: 'error', detail: 'no such order', spent });
  const retried = event(1050, 'step_attempted', { call_id: 'c2', step_id: 'look', tool: 'orders.lookup', attempt: 2 });
  expect(render(retried)[1]).toBe('  ► look    orders.lookup  attempt 2');
  expect(render(retried, failed)[1]).toBe('  ✗ look    orders.lookup  error: no such order');
  const refused = event(1100, 'step_refused', { step_id: 'refund', code: 'permission_denied', layer: 'permission' });
  expect(render(refused)[2]).toBe('  ✗ refund  payments.refund  permission_denied at permission');
});

test('counts the tokens of a classifier, which runs before the caps are known', () => {
  const [received, ...rest] = started;
  const classified = event(0, 'intent_read', { spent });
  const view = [...(received === undefined ? [] : [received]), classified, ...rest].reduce(applyEvent, EMPTY_RUN_VIEW);
  expect(view.gauges).toContainEqual({ name: 'tokens', used: 80, max: 100 });
});

test('counts the tokens of planners and judges too, but not those of a late answer', () => {
  const replanned = event(1100, 'plan_proposed', { proposal: { steps }, spent: { ...spent, input_tokens: 5 } });
  const judged = event(1200, 'judges_answered', { spent: { ...spent, input_tokens: 0 } });
  const late = event(1300, 'answer_came_late', { call_id: 'c1', spent });
  expect(render(replanned, judged, late).at(-1)).toContain('tokens ███████░░░ 65/100');
});
