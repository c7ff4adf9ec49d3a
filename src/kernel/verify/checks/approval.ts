import { compareModes, runsInline } from '../../../model/approval-mode.ts';
import type { Problem } from '../../../model/problem.ts';
import { effectiveMode } from '../effective-mode.ts';
import { stepProblem } from '../step-problem.ts';
import { eachKnownStep, type Subject } from '../subject.ts';

/** A plan may ask for more approval than the registry does, never for less. */
export function checkModes(subject: Subject): readonly Problem[] {
  return eachKnownStep(subject, (step, spec, index) => {
    const declared = step.approval_mode;
    if (declared === undefined || compareModes(declared, spec.approval_mode) >= 0) return null;
    const message = `declares ${declared}, but ${spec.name} is ${spec.approval_mode}`;
    const detail = { declared, registered: spec.approval_mode };
    return stepProblem({ step, index }, 'approval_mode_mismatch', '/approval_mode', message, detail);
  });
}

export function checkAuthority(subject: Subject): readonly Problem[] {
  const { authority } = subject.context;
  return eachKnownStep(subject, (step, spec, index) => {
    const mode = effectiveMode(step, spec);
    if (compareModes(mode, authority) <= 0) return null;
    const message = `${spec.name} needs ${mode}, and this run has authority up to ${authority}`;
    const detail = { needed: mode, authority };
    return stepProblem({ step, index }, 'approval_authority_exceeded', '/tool', message, detail);
  });
}

/** The gates of the registry stand whatever the mode; a mode that does not run inline needs one in any case. */
export function checkGates(subject: Subject): readonly Problem[] {
  return eachKnownStep(subject, (step, spec, index) => {
    const mode = effectiveMode(step, spec);
    if (spec.gates.length === 0 && runsInline(mode)) return null;
    const named = new Set(step.requires);
    const missing = spec.gates.filter((gate) => !named.has(gate));
    const ungated = !runsInline(mode) && named.size === 0;
    if (missing.length === 0 && !ungated) return null;
    const message =
      missing.length > 0
        ? `${spec.name} must name its gates in requires: ${missing.join(', ')}`
        : `a ${mode} step must name at least one gate in requires`;
    return stepProblem({ step, index }, 'approval_missing', '/requires', message, { mode, missing });
  });
}
