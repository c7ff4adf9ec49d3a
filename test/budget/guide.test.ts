/** Compares docs/how-to/budgets.md with the code: owners, published caps, limits of the loop guard. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LOOP_LIMITS } from '../../src/kernel/state/loop-guard.ts';
import { BUDGET_PRESETS, ENFORCEMENT_OWNERS, PROFILE_CAPS } from '../../src/model/budget/budget-profile.ts';
import { BUDGET_DIMENSIONS } from '../../src/model/budget/dimensions.ts';

const guide = readFileSync(new URL('../../docs/how-to/budgets.md', import.meta.url), 'utf8');
/** The cells of each row of the table under a heading, without the code marks. */
function table(heading: string): string[][] {
  const section = guide.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim().replaceAll('`', '')));
}

test('lists every dimension with its owner', () => {
  const listed = table('The dimensions').map((cells) => [cells[0], cells[3]]);
  expect(Object.fromEntries(listed)).toEqual(ENFORCEMENT_OWNERS);
});

test('lists every published cap with its value', () => {
  const listed = table('The caps of a run');
  expect(listed.map(([cap]) => cap).sort()).toEqual(BUDGET_DIMENSIONS.map((dimension) => `${dimension}_max`).sort());
  for (const [cap, ...values] of listed) {
    const key = cap as keyof typeof PROFILE_CAPS.research;
    expect(values).toEqual(BUDGET_PRESETS.map((preset) => String(PROFILE_CAPS[preset][key])));
  }
});

test('lists every kind of loop with its limit', () => {
  const { calls, transitions, equalPlans, subtasks } = LOOP_LIMITS;
  const listed = table('Loop guard').map((cells) => [cells[0], Number(cells[2])]);
  expect(Object.fromEntries(listed)).toEqual({
    repeated_call: calls,
    repeated_transition: transitions,
    no_progress: equalPlans,
    duplicate_subtask: subtasks,
  });
});
