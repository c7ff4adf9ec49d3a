/** Tests the contract of a compressor: the material it must keep and drop, and the halt after a failed pass. */
import { test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import {
  type ActiveContext,
  DROPPED_CLASSES,
  type DroppableItem,
  KEPT_CLASSES,
} from '../../../model/evidence/compression.ts';
import { deepFreeze } from '../../../model/json/freeze.ts';
import { checkCompression, haltAfterCompression } from './compression.ts';

const kept: ActiveContext['kept'] = {
  goal_and_criteria: { goal: 'refund ord_881', criteria: ['refund exists'] },
  plan_and_dependencies: { plan_id: 'plan_refund_01', pending: ['s3'] },
  verified_observations: { obs_1: { total_cents: 4200 } },
  open_questions: { fields: ['reason'], blocked: ['s3'] },
  budget_state: { tool_calls: 2 },
  trace_pointers: { call_1: 'trace:17' },
  approval_state: { gate: 'GATE_FINANCE_APPROVAL' },
};
const loose: readonly DroppableItem[] = [
  { class: 'raw_deliberation', pointer: 'trace:3' },
  { class: 'superseded_plan', pointer: 'trace:5' },
  { class: 'redundant_output', pointer: 'trace:7', summarized_by: 'obs_1' },
  { class: 'unsupported_assumption', pointer: 'trace:9' },
  { class: 'reflection_chatter', pointer: 'trace:11' },
];
const before: ActiveContext = deepFreeze({ kept, loose, demoted: ['trace:1'] });
const after: ActiveContext = deepFreeze({
  kept,
  loose: [],
  demoted: ['trace:1', 'trace:3', 'trace:5', 'trace:7', 'trace:9', 'trace:11'],
});

test('seven classes are kept, five are dropped', () => {
  expect(KEPT_CLASSES).toEqual([
    'goal_and_criteria',
    'plan_and_dependencies',
    'verified_observations',
    'open_questions',
    'budget_state',
    'trace_pointers',
    'approval_state',
  ]);
  expect(DROPPED_CLASSES).toEqual([
    'raw_deliberation',
    'superseded_plan',
    'redundant_output',
    'unsupported_assumption',
    'reflection_chatter',
  ]);
});

describe('the contract', () => {
  test('is met when everything needed is kept and the rest has a pointer', () => {
    expect(checkCompression(before, after)).toEqual({ ok: true });
    expect(checkCompression(after, after)).toEqual({ ok: true });
  });

  test('ignores the order of keys', () => {
    const goal_and_criteria = { criteria: ['refund exists'], goal: 'refund ord_881' };
    expect(checkCompression(before, { ...after, kept: { ...kept, goal_and_criteria } })).toEqual({ ok: true });
  });

  test.each(KEPT_CLASSES)('is violated by a compressor that empties, changes or drops %s', (name) => {
    const { [name]: dropped, ...rest } = kept;
    const losses = [
      { ...kept, [name]: {} },
      { ...kept, [name]: { ...dropped, note: 'added' } },
      rest as ActiveContext['kept'],
    ];
    for (const loss of losses) {
      expect(checkCompression(before, { ...after, kept: loss })).toEqual({ ok: false, lost: [name], left: [] });
    }
  });

  test.each(loose)('is violated while $class is still shown', (item) => {
    const ruling = checkCompression(before, { ...after, loose: [item] });
    expect(ruling).toEqual({ ok: false, lost: [], left: [item.pointer] });
  });

  test.each(after.demoted)('is violated when %s can no longer be reached', (pointer) => {
    const demoted = after.demoted.filter((each) => each !== pointer);
    expect(checkCompression(before, { ...after, demoted })).toEqual({ ok: false, lost: [pointer], left: [] });
  });

  test.each([undefined, 'obs_2', 'toString'])('keeps an output summarized by %s', (summarized_by) => {
    const output: DroppableItem = {
      class: 'redundant_output',
      pointer: 'trace:13',
      ...(summarized_by === undefined ? {} : { summarized_by }),
    };
    const context = { ...before, loose: [output] };
    const dropped = { ...before, loose: [], demoted: ['trace:1', 'trace:13'] };
    expect(checkCompression(context, dropped)).toEqual({ ok: false, lost: ['trace:13'], left: [] });
    expect(checkCompression(context, context)).toEqual({ ok: true });
  });
});

describe('after the one pass', () => {
  test('continues when nothing is lost and the context fits', () => {
    expect(haltAfterCompression([], 10, false)).toBeNull();
  });

  test('halts as unsafe on a loss, even if the context fits', () => {
    expect(haltAfterCompression(['approval_state'], 10, false)).toEqual({
      code: 'UNSAFE_DETECTION',
      reason: 'compression_unsafe',
      detail: { lost: ['approval_state'] },
    });
  });

  test('halts on the context budget when the context is still too large', () => {
    expect(haltAfterCompression([], 90, true)).toEqual({
      code: 'BUDGET_EXHAUSTED',
      reason: 'compression_unsafe',
      detail: { dimension: 'context_tokens', tokens: 90 },
    });
  });
});
