/** The longest silence of a healthy run. */
import { expect, test } from 'vitest';
import { tools } from '../../test/intake/cases.ts';
import type { ToolSpec } from '../model/tool/tool.ts';
import { longestVerdictGapMs, type Pace } from './receive-goal.ts';

const PACE: Pace = { dispatchWindowMs: 100, retryBaseMs: 10, plannerTimeoutMs: 5_000 };
const tool = (timeout_ms: number, retries_max: number): ToolSpec => {
  const [first] = tools.tools;
  if (first === undefined) throw new Error('the cases hold no tool');
  return { ...first, timeout_ms, retries_max };
};

test('is the planner timeout without tools', () => {
  expect(longestVerdictGapMs([], PACE)).toBe(5_000);
});

test('adds window and timeout for each attempt, and doubling pauses in between', () => {
  expect(longestVerdictGapMs([tool(1_000, 0)], PACE)).toBe(5_000 + 1_100);
  expect(longestVerdictGapMs([tool(1_000, 3)], PACE)).toBe(5_000 + 4 * 1_100 + 10 + 20 + 40);
});

test('counts the slowest tool at any position', () => {
  const quick = tool(10, 0);
  const slow = tool(60_000, 1);
  expect(longestVerdictGapMs([quick, slow, quick], PACE)).toBe(longestVerdictGapMs([slow], PACE));
});

test('stays a safe integer with the most retries, because pauses stop doubling', () => {
  const longest = longestVerdictGapMs([tool(86_400_000, 100)], PACE);
  expect(Number.isSafeInteger(longest)).toBe(true);
  expect(longest).toBe(5_000 + 101 * 86_400_100 + 10 * (2 ** 17 - 1) + 83 * 10 * 2 ** 16);
});
