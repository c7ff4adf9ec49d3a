/** Proves that the plans of the guide pass and that it lists exactly the existing problem codes. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { context, REFUND_TOOLS, spec } from '../../../test/kernel/verify/fixtures.ts';
import { FAULT_CODES } from '../../model/fault/fault-table.ts';
import { rulingOn } from './verdict.ts';
import { verifyPlan } from './verify-plan.ts';

const guide = readFileSync(new URL('../../../docs/concepts/plans.md', import.meta.url), 'utf8');

test('every plan of the guide passes', () => {
  const plans = Array.from(guide.matchAll(/^```json\n(?<plan>.*?)^```$/gms), ({ groups }) =>
    JSON.parse(groups?.['plan'] ?? ''),
  );
  const specs = [...REFUND_TOOLS, spec('current_weather', { produces: ['WEATHER'] }), spec('respond')];
  expect(plans).toHaveLength(2);
  for (const plan of plans) expect(verifyPlan(plan, context({ specs, risk: 'critical' }), 0).problems).toEqual([]);
});

test("the guide's table of problems matches the code", () => {
  const rows = Array.from(guide.matchAll(/^\| `(?<code>\w+)` \| (?<answer>yes|no)\b/gm), ({ groups }) => [
    groups?.['code'],
    groups?.['answer'],
  ]);
  const rulings = FAULT_CODES.flatMap((code) => {
    const ruling = rulingOn(code);
    return ruling === null ? [] : [[code, ruling.fixable ? 'yes' : 'no']];
  });
  expect(rows).toEqual(rulings);
});
