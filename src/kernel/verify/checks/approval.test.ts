/** Proves that a plan can declare stricter approval than the registry, never weaker, and never exceed its authority. */
import { describe, expect, test } from 'vitest';
import { problemLines, spec, verifySteps } from '../../../../test/kernel/verify/fixtures.ts';
import { verifies } from '../../../../test/requirements/verifies.ts';
import { APPROVAL_MODES, type ApprovalMode, compareModes, runsInline } from '../../../model/gate/approval-mode.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import { effectiveMode } from '../step-rules.ts';
import type { PlanVerification } from '../verify-plan.ts';

function verify(
  step: Partial<PlanStep>,
  tool: Partial<ToolSpec>,
  authority: ApprovalMode = 'destructive',
): PlanVerification {
  return verifySteps([{ id: 's1', tool: 't', ...step }], [spec('t', tool)], { authority });
}

verifies(
  'verify:approval:declaration-matches-registry',
  'refuses a weaker approval mode and uses a stricter one',
  () => {
    const weak = verify({ approval_mode: 'read_only', requires: ['G'] }, { approval_mode: 'destructive' });
    expect(problemLines(weak)).toEqual(['approval_mode_mismatch /steps/0/approval_mode']);
    expect(weak.problems[0]?.detail).toEqual({ declared: 'read_only', registered: 'destructive' });
    for (const registered of APPROVAL_MODES) {
      for (const declared of APPROVAL_MODES) {
        const { problems } = verify({ approval_mode: declared, requires: ['G'] }, { approval_mode: registered });
        const weaker = compareModes(declared, registered) < 0;
        expect(problems.map(({ code }) => code)).toEqual(weaker ? ['approval_mode_mismatch'] : []);
        expect(effectiveMode({ approval_mode: declared }, { approval_mode: registered })).toBe(
          weaker ? registered : declared,
        );
      }
    }
  },
);

test('a step without an approval mode has the mode of its tool', () => {
  for (const approval_mode of APPROVAL_MODES) expect(effectiveMode({}, { approval_mode })).toBe(approval_mode);
  expect(verify({}, { approval_mode: 'read_only' }).verdict).toBe('ok');
});

describe('gates', () => {
  verifies('verify:approval:missing-gate', 'refuses a step that needs approval and names no gate', () => {
    for (const requires of [undefined, []] as const) {
      const step = requires === undefined ? {} : { requires };
      const verification = verify(step, { approval_mode: 'destructive' });
      expect(verification.verdict).toBe('replan');
      expect(problemLines(verification)).toEqual(['approval_missing /steps/0/requires']);
    }
  });

  test.each(APPROVAL_MODES)('requires a gate for %s unless the mode runs inline', (approval_mode) => {
    const expected = runsInline(approval_mode) ? [] : ['approval_missing /steps/0/requires'];
    expect(problemLines(verify({}, { approval_mode }))).toEqual(expected);
    expect(problemLines(verify({ approval_mode }, { approval_mode: 'read_only' }))).toEqual(expected);
  });

  test('requires every gate of the tool, even for a step that runs inline', () => {
    const gates = ['GATE_A', 'GATE_B'];
    const some = verify({ requires: ['GATE_B', 'GATE_X'] }, { approval_mode: 'network', gates });
    expect(some.problems).toMatchObject([{ code: 'approval_missing', detail: { missing: ['GATE_A'] } }]);
    expect(verify({}, { approval_mode: 'read_only', gates }).problems).toMatchObject([{ detail: { missing: gates } }]);
    expect(verify({ requires: gates }, { approval_mode: 'destructive', gates }).verdict).toBe('ok');
  });
});

verifies('approval:authority:from-run-context', 'rejects a step beyond the authority of the run', () => {
  const refused = verify({ requires: ['G'] }, { approval_mode: 'destructive' }, 'local_write');
  expect(problemLines(refused)).toEqual(['approval_authority_exceeded /steps/0/tool']);
  expect(refused).toMatchObject({
    verdict: 'reject',
    problems: [{ step_id: 's1', detail: { needed: 'destructive', authority: 'local_write' } }],
  });
  expect(verify({}, { approval_mode: 'local_write' }, 'local_write').verdict).toBe('ok');
  // A stricter mode declared by the plan counts.
  expect(problemLines(verify({ approval_mode: 'network', requires: ['G'] }, {}, 'local_write'))).toEqual([
    'approval_authority_exceeded /steps/0/tool',
  ]);
});
