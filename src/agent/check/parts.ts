import type { Fault } from '../../model/fault/fault.ts';
import { timeFault } from '../../ports/model/model-roles.ts';
import { hasMethods, isRecord, type UncheckedObject, wrong } from './values.ts';

/** The model roles of `world`: the methods each must have, and an example that creates one. */
const MODEL_ROLES: readonly (readonly [part: string, methods: readonly string[], maker: string])[] = [
  ['reviewer', ['reflect', 'compress'], 'modelReviewer({ model })'],
  ['classifier', ['classify'], 'modelClassifier({ model })'],
  ['drafter', ['draft'], 'modelDrafter({ model })'],
];

/**
 * Checks the model roles, the timeouts and the context of `world`. A bare model instead of a role, or a folder name
 * instead of a pack, would otherwise fail only during a run.
 */
export function partFaults(world: UncheckedObject): readonly Fault[] {
  return [
    ...MODEL_ROLES.flatMap(([part, methods, maker]) => {
      const value = world[part];
      // A classifier and a drafter are optional; a reviewer is not.
      if (value === undefined || (value === null && part !== 'reviewer')) return [];
      if (hasMethods(value, methods)) return checkTime(`/world/${part}`, value);
      return [wrong(`/world/${part}`, `${part} must have ${methods.join('() and ')}(): use one such as ${maker}`)];
    }),
    ...checkJudges(world['judges']),
    ...checkTimeouts(world['plannerTimeouts']),
    ...checkContext(world['context']),
  ];
}

function checkJudges(judges: unknown): readonly Fault[] {
  if (judges === undefined) return [];
  if (!Array.isArray(judges)) return [wrong('/world/judges', 'judges must be a list, such as [modelJudge({ … })]')];
  return judges.flatMap((judge: unknown, place) =>
    isRecord(judge) && isRecord(judge['spec']) && hasMethods(judge, ['ask'])
      ? checkTime(`/world/judges/${place}`, judge)
      : [wrong(`/world/judges/${place}`, 'this is not a judge: use one such as modelJudge({ … })')],
  );
}

/** Checks the time limit that a custom model role declares. */
function checkTime(path: string, part: object): readonly Fault[] {
  const fault = timeFault(path, path, part);
  return fault === null ? [] : [fault];
}

function checkTimeouts(timeouts: unknown): readonly Fault[] {
  if (timeouts === undefined) return [];
  if (isRecord(timeouts) && typeof timeouts['usualMs'] === 'number' && isRecord(timeouts['byTaskClass'])) return [];
  return [
    wrong(
      '/world/plannerTimeouts',
      'plannerTimeouts must be { usualMs, byTaskClass }, such as { usualMs: 20_000, byTaskClass: {} }',
    ),
  ];
}

function checkContext(context: unknown): readonly Fault[] {
  if (context === undefined || context === null) return [];
  const fix = "pass { pack: contextPack('packs/…') }, or a compiled context";
  if (!isRecord(context)) return [wrong('/world/context', `context must be an object: ${fix}`)];
  return 'pin' in context && !('pack' in context) ? [wrong('/world/context', `context is a bare pack: ${fix}`)] : [];
}
