import { Fault } from '../model/fault.ts';
import type { FaultPoint, FaultPoints } from '../ports/fault-points.ts';

export interface ArmedFaults {
  readonly points: FaultPoints;
  /** The next time this point is reached, the store fails there. Once. */
  arm(point: FaultPoint): void;
}

/** A store that fails where a test says so. */
export function armedFaults(): ArmedFaults {
  let armed: FaultPoint | null = null;
  return {
    points: (point) => {
      if (point !== armed) return;
      armed = null;
      throw new Fault('internal', `a test failed the store at ${point}`);
    },
    arm: (point) => {
      armed = point;
    },
  };
}
