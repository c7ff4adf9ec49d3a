import { compareModes, runsInline } from '../../../model/gate/approval-mode.ts';
import type { Problem } from '../../../model/json/problem.ts';
import { effectiveMode, stepProblem } from '../step-rules.ts';
import { eachKnownStep, type Subject } from '../subject.ts';

/** A plan may declare a stricter approval mode than the registry, never a weaker one. */
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

/** A step names all gates of its tool, and at least one gate if its mode does not run inline. */
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
