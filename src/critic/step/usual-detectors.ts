import type { Boundary } from '../../model/boundary.ts';
import { instructionDetector } from './instructions.ts';
import type { Detector } from './safety.ts';
import { secretDetector } from './secrets.ts';

/**
 * Whoever acts under a risk profile is told of instructions in what strangers wrote, and a coding agent works where
 * secrets lie about. Whoever brings a detector of the same name has seen to it.
 */
export function usualDetectors({ profile }: Boundary, given: readonly Detector[] = []): readonly Detector[] {
  if (profile === null) return given;
  const usual = profile === 'coding' ? [secretDetector, instructionDetector] : [instructionDetector];
  return [...given, ...usual.filter(({ name }) => !given.some((own) => own.name === name))];
}
