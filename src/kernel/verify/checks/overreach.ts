import { compareModes } from '../../../model/gate/approval-mode.ts';
import type { Problem } from '../../../model/json/problem.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import { stepProblem } from '../step-rules.ts';
import { eachKnownStep, type Subject } from '../subject.ts';
import type { VerifyContext } from '../verify-context.ts';

/** Categories that always give the same answer to the same question. */
const DETERMINISTIC: readonly ToolSpec['category'][] = ['sandbox_code', 'read_only_lookup'];

/**
 * At low risk a plan may not use a tool that costs money if a cheaper, deterministic tool of this run is declared
 * equivalent. Nothing is guessed from names.
 */
export function checkOverreach(subject: Subject): readonly Problem[] {
  const { context } = subject;
  if (context.risk !== 'low') return [];
  const better = betterTools(context);
  return eachKnownStep(subject, (step, spec, index) => {
    if (spec.cost.microusd === 0) return null;
    const instead = better(spec);
    if (instead.length === 0 || context.known.committed.get(step.id) !== undefined) return null;
    const message = `${spec.name} costs money, and ${instead.join(', ')} answers the same for less: use that`;
    return stepProblem({ step, index }, 'tool_overreach', '/tool', message, { tool: spec.name, instead });
  });
}

/** Cached by tool, because many steps may call the same one. */
function betterTools(context: VerifyContext): (spec: ToolSpec) => readonly string[] {
  const known = new Map<ToolSpec, readonly string[]>();
  return (spec) => {
    const found = known.get(spec);
    if (found !== undefined) return found;
    const better = context.tools.specs.filter((other) => isBetter(spec, other, context)).map(({ name }) => name);
    known.set(spec, better);
    return better;
  };
}

function isBetter(spec: ToolSpec, other: ToolSpec, { tools, known }: VerifyContext): boolean {
  const same = spec.equivalents?.includes(other.name) === true || other.equivalents?.includes(spec.name) === true;
  if (!same || !other.active || !tools.isAllowed(other.name)) return false;
  if (known.setAside?.has(other.name) === true || known.failing === other.name) return false;
  const modest = !other.external && compareModes(other.approval_mode, spec.approval_mode) <= 0;
  return modest && DETERMINISTIC.includes(other.category) && other.cost.microusd < spec.cost.microusd;
}
