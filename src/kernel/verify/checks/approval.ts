import { compareModes, runsInline } from '../../../model/approval-mode.ts';
import type { Problem } from '../../../model/problem.ts';
import type { ToolSpec } from '../../../model/tool.ts';
import { effectiveMode } from '../effective-mode.ts';
import { type Placed, stepProblem } from '../step-problem.ts';
import type { Subject } from '../subject.ts';

/** A plan may ask for more approval than the registry does, never for less. */
export function checkModes(subject: Subject): readonly Problem[] {
  return eachKnownStep(subject, (placed, spec) => {
    const declared = placed.step.approval_mode;
    if (declared === undefined || compareModes(declared, spec.approval_mode) >= 0) return [];
    const message = `declares ${declared}, but ${spec.name} is ${spec.approval_mode}`;
    const detail = { declared, registered: spec.approval_mode };
    return [stepProblem(placed, 'approval_mode_mismatch', '/approval_mode', message, detail)];
  });
}

export function checkAuthority(subject: Subject): readonly Problem[] {
  const { authority } = subject.context;
  return eachKnownStep(subject, (placed, spec) => {
    const mode = effectiveMode(placed.step, spec);
    if (compareModes(mode, authority) <= 0) return [];
    const message = `${spec.name} needs ${mode}, and this run has authority up to ${authority}`;
    return [stepProblem(placed, 'approval_authority_exceeded', '/tool', message, { needed: mode, authority })];
  });
}

/** The gates of the registry stand whatever the mode; a mode that does not run inline needs one in any case. */
export function checkGates(subject: Subject): readonly Problem[] {
  return eachKnownStep(subject, (placed, spec) => {
    const named = new Set(placed.step.requires);
    const missing = spec.gates.filter((gate) => !named.has(gate));
    const mode = effectiveMode(placed.step, spec);
    const ungated = !runsInline(mode) && named.size === 0;
    if (missing.length === 0 && !ungated) return [];
    const message =
      missing.length > 0
        ? `${spec.name} must name its gates in requires: ${missing.join(', ')}`
        : `a ${mode} step must name at least one gate in requires`;
    return [stepProblem(placed, 'approval_missing', '/requires', message, { mode, missing })];
  });
}

function eachKnownStep(
  { plan, specs }: Subject,
  check: (placed: Placed, spec: ToolSpec) => readonly Problem[],
): readonly Problem[] {
  return plan.steps.flatMap((step, index) => {
    const spec = specs[index];
    return spec === undefined ? [] : check({ step, index }, spec);
  });
}
