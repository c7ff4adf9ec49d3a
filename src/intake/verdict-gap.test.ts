/** The longest silence of a healthy run. */
import { expect, test } from 'vitest';
import { tools } from '../../test/intake/cases.ts';
import type { ToolSpec } from '../model/tool/tool.ts';
import { longestVerdictGapMs, type Pace } from './receive-goal.ts';

const PACE: Pace = {
  dispatchWindowMs: 100,
  retryBaseMs: 10,
  retriesMax: 3,
  planningMs: 5_000,
  stepModelsMs: 0,
  answeringMs: 0,
};
const tool = (timeout_ms: number, retries_max: number): ToolSpec => {
  const [first] = tools.tools;
  if (first === undefined) throw new Error('the cases hold no tool');
  return { ...first, timeout_ms, retries_max };
};

test('is the time of planning without tools', () => {
  expect(longestVerdictGapMs([], PACE)).toBe(5_000);
});

test('is one attempt with the longest pause before it, if that is longer than planning', () => {
  expect(longestVerdictGapMs([tool(1_000, 3)], PACE)).toBe(5_000);
  expect(longestVerdictGapMs([tool(6_000, 0)], PACE)).toBe(6_100);
  expect(longestVerdictGapMs([tool(6_000, 1)], PACE)).toBe(6_140);
});

test('adds the models of a step and the probe of a tool, and counts an answer that takes longer', () => {
  const probe = { ...tool(2_000, 0), name: 'probe' };
  const probed = { ...tool(6_000, 0), probes: { verify: 'probe' } };
  expect(longestVerdictGapMs([probe, probed], PACE)).toBe(8_100);
  expect(longestVerdictGapMs([probe, probed], { ...PACE, stepModelsMs: 700 })).toBe(8_800);
  expect(longestVerdictGapMs([probe, probed], { ...PACE, answeringMs: 9_000 })).toBe(9_000);
});

test('counts the slowest tool at any position', () => {
  const quick = tool(10, 0);
  const slow = tool(60_000, 1);
  expect(longestVerdictGapMs([quick, slow, quick], PACE)).toBe(longestVerdictGapMs([slow], PACE));
});

test('stays a safe integer with the most retries, because pauses stop doubling', () => {
  const longest = longestVerdictGapMs([tool(86_400_000, 100)], { ...PACE, retriesMax: 1e15 });
  expect(longest).toBe(86_400_100 + 10 * 2 ** 16);
});
