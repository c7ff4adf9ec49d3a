import { Fault } from '../model/fault.ts';
import { printable } from '../model/printable.ts';
import { Versioned } from '../model/rubric.ts';
import type { Detector } from './step/safety.ts';

/** Detectors as a run pins them, each as `name@version`. One that says neither could be exchanged without a trace. */
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
