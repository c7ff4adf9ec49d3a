import { Versioned } from '../../model/critic/rubric.ts';
import { Fault } from '../../model/fault/fault.ts';
import { printable } from '../../model/json/printable.ts';
import type { Boundary } from '../../model/policy/boundary.ts';
import { instructionDetector } from './instructions.ts';
import type { Detector } from './safety.ts';
import { secretDetector } from './secrets.ts';

/**
 * Adds the default detectors of an agent with a risk profile: embedded instructions, and secrets for coding agents. A
 * caller's detector of the same name replaces the default one.
 */
export function usualDetectors({ profile }: Boundary, custom: readonly Detector[] = []): readonly Detector[] {
  if (profile === null) return custom;
  const usual = profile === 'coding' ? [secretDetector, instructionDetector] : [instructionDetector];
  return [...custom, ...usual.filter(({ name }) => !custom.some((own) => own.name === name))];
}

/** The detectors among these ids. A run keeps those that it began with. */
export const detectorsWithin = (detectors: readonly Detector[], ids: readonly string[]): readonly Detector[] =>
  detectors.filter(({ name, version }) => ids.includes(`${name}@${version}`));

/** Detector ids as a run pins them: `name@version`. Without both, a detector could be exchanged unnoticed. */
export function detectorIds(detectors: readonly Detector[]): readonly string[] {
  const ids = new Map<string, string>();
  for (const [place, { name, version }] of detectors.entries()) {
    const id = `${name}@${version}`;
    const path = `/world/policy/detectors/${place}`;
    if (typeof version !== 'string' || !Versioned.safeParse(id).success) {
      const message = `detector ${printable(id)}: a run pins detectors as name@version, such as leaked_key@1`;
      throw new Fault('input_invalid', message, { path });
    }
    if (ids.has(name)) throw new Fault('input_invalid', `detector ${name} is there twice`, { path });
    ids.set(name, id);
  }
  return [...ids.values()];
}
