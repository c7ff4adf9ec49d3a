import type { FaultCode } from '../../model/fault.ts';
import type { Problem } from '../../model/problem.ts';
import type { ToolSpec } from '../../model/tool.ts';

/** What went wrong in writing a call down, as opposed to choosing it. */
const MISWRITTEN: ReadonlySet<FaultCode> = new Set(['argument_invalid', 'binding_type_mismatch']);

/** Calls that move money, change running systems or cannot be taken back. */
const isHighImpact = ({ side_effect, category, approval_mode }: ToolSpec): boolean =>
  side_effect && (category === 'payment' || category === 'infrastructure' || approval_mode === 'destructive');

/**
 * A call that was written down wrongly goes back to whoever wrote it, unless it is one of much consequence: whoever got
 * the arguments of a payment wrong once is not asked to guess again, a person is.
 */
export function isGraveMistake({ code, path, detail }: Problem, specs: readonly (ToolSpec | undefined)[]): boolean {
  // Advice of consequence that nothing supports is for a reviewer; the model is not asked to sound surer.
  if (code === 'grounding_violation') return detail?.['needed'] === 'sources';
  if (!MISWRITTEN.has(code)) return false;
  const place = /^\/steps\/(\d+)(?:\/|$)/.exec(path)?.[1];
  const spec = place === undefined ? undefined : specs[Number(place)];
  return spec !== undefined && isHighImpact(spec);
}
