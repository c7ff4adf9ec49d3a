import type { Fault } from '../../model/fault.ts';
import { timeFault } from '../../ports/answer-time.ts';
import { can, type Given, isRecord, wrong } from './given-values.ts';

/** Parts of the world that are asked something: what each must be able to do, and who makes one. */
const ASKED: readonly (readonly [part: string, methods: readonly string[], maker: string])[] = [
  ['reviewer', ['reflect', 'compress'], 'modelReviewer({ model })'],
  ['classifier', ['classify'], 'modelClassifier({ model })'],
  ['drafter', ['draft'], 'modelDrafter({ model })'],
];

/** A model in the place of what asks it, or a folder in the place of what was read from it, would show only in a run. */
export function partFaults(world: Given): readonly Fault[] {
  return [
    ...ASKED.flatMap(([part, methods, maker]) => {
      const given = world[part];
      // Runs do without the other two.
      if (given === undefined || (given === null && part !== 'reviewer')) return [];
      if (can(given, methods)) return ofTime(`/world/${part}`, given);
      return [wrong(`/world/${part}`, `${part} has ${methods.join('() and ')}(): give one, such as ${maker}`)];
    }),
    ...ofJudges(world['judges']),
    ...ofTimeouts(world['plannerTimeouts']),
    ...ofContext(world['context']),
  ];
}

function ofJudges(judges: unknown): readonly Fault[] {
  if (judges === undefined) return [];
  if (!Array.isArray(judges)) return [wrong('/world/judges', 'judges is a list, such as [modelJudge({ … })]')];
  return judges.flatMap((judge: unknown, place) =>
    isRecord(judge) && isRecord(judge['spec']) && can(judge, ['ask'])
      ? ofTime(`/world/judges/${place}`, judge)
      : [wrong(`/world/judges/${place}`, 'this is no judge: give one, such as modelJudge({ … })')],
  );
}

/** Whoever is asked may be anybody's code, and has its time from whoever made it. */
function ofTime(path: string, part: object): readonly Fault[] {
  const fault = timeFault(path, path, part);
  return fault === null ? [] : [fault];
}

function ofTimeouts(timeouts: unknown): readonly Fault[] {
  if (timeouts === undefined) return [];
  if (isRecord(timeouts) && typeof timeouts['usualMs'] === 'number' && isRecord(timeouts['byTaskClass'])) return [];
  return [
    wrong(
      '/world/plannerTimeouts',
      'plannerTimeouts is { usualMs, byTaskClass }, such as { usualMs: 20_000, byTaskClass: {} }',
    ),
  ];
}

function ofContext(context: unknown): readonly Fault[] {
  if (context === undefined || context === null) return [];
  const fix = "give { pack: contextPack('packs/…') }, or a compiled context";
  if (!isRecord(context)) return [wrong('/world/context', `context is no text or list: ${fix}`)];
  return 'pin' in context && !('pack' in context) ? [wrong('/world/context', `this is a pack by itself: ${fix}`)] : [];
}
